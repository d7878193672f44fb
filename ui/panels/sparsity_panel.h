// SPDX-License-Identifier: GPL-3.0-or-later
// Share of weights near zero by module, the compared run's as ticks.
#pragma once

#include "ui/data/query.h"
#include "ui/data/sparsity_data.h"
#include "ui/data/subject.h"
#include "ui/panels/panel.h"

class QLabel;
class QSettings;

namespace heddle::ui {

class Segments;

class SparsityPanel : public Panel {
    Q_OBJECT

public:
    SparsityPanel(Databases& databases, QWidget* parent);

    BarPlot& bars() { return *bars_; }
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;

protected:
    void showSubject(const Subject& before) override;
    void forgetRun() override;

private:
    struct Answer {
        std::optional<Sparsity> own, other;
        GroupedShares ownGroups, otherGroups;
    };
    std::string key() const;
    Query::Request nextRequest();
    void showProblem(const Problem& problem);
    Query::Request ownRequest();
    Query::Request otherRequest();
    void show();

    BarPlot* bars_;
    Segments* thresholds_;
    QLabel* rule_;
    std::string asked_;
    Answer answer_;
    bool isOtherDue_ = false;  ///< answer_ lacks the compared run, which may be in another database
    Query* query_;
};

}  // namespace heddle::ui
