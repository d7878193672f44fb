// SPDX-License-Identifier: GPL-3.0-or-later
// Share of weights near zero by module; the shares of the compared run are ticks.
#pragma once

#include "ui/data/databases.h"
#include "ui/data/sparsity_data.h"
#include "ui/panels/panel.h"
#include "ui/threads/query.h"

class QLabel;

namespace heddle::ui {

class Segments;

class SparsityPanel : public Panel {
    Q_OBJECT

public:
    SparsityPanel(Databases& databases, QWidget* parent);

    BarPlot& bars() { return *bars_; }

protected:
    void showSubject(const Subject& before) override;
    void clearRun() override;

private:
    struct Shares {
        std::optional<Sparsity> read;  ///< nothing: the run has none up to the step
        GroupedShares groups;
    };
    static Shares grouped(std::optional<Sparsity> read, const RunDetail& detail);
    std::string key() const;
    std::string threshold() const;
    void read();
    void takeOwn(Result<Shares> shares);
    void takeOther(Result<Shares> shares);
    void fail(const Problem& problem);
    void show();

    Databases& databases_;
    BarPlot* bars_;
    Segments* thresholds_;
    QLabel* rule_;
    Shares own_, other_;
    Query<Shares> ownQuery_{this, [this](Result<Shares> shares) { takeOwn(std::move(shares)); }};
    /// The compared run, which may be in another database, at the step of own_.
    Query<Shares> otherQuery_{this, [this](Result<Shares> shares) { takeOther(std::move(shares)); }};
};

}  // namespace heddle::ui
