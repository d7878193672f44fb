// SPDX-License-Identifier: GPL-3.0-or-later
// Gates: the distribution at one site over training, and the mean of every site by step.
#pragma once

#include "ui/data/databases.h"
#include "ui/data/gate_data.h"
#include "ui/panels/panel.h"
#include "ui/threads/query.h"

class QComboBox;
class QLabel;

namespace heddle::ui {

class GatesPanel : public Panel {
    Q_OBJECT

public:
    /// `keys`: as AttentionPanel.
    GatesPanel(Databases& databases, const QString& keys, QWidget* parent);

    RidgePlot& ridges() { return *ridges_; }
    MapView& sites() { return *sites_; }
    /// Number of snapshots in memory.
    std::size_t held() const { return read_.size(); }
    /// Shows the gate and the site that the other panel shows, as far as the run has them.
    void showLike(const GatesPanel& other);

Q_SIGNALS:
    /// The user chose another gate or site.
    void choiceChanged();

protected:
    void showSubject(const Subject& before) override;
    void clearRun() override;

private:
    void buildBody();
    void fillKinds();
    void showKinds();
    const GateKind* kind() const;
    const std::vector<Step>& stepsOf(const std::string& path) const;
    /// The snapshots in the picture: the front ridge first, then the earlier ridges, then the map.
    std::vector<std::pair<std::string, Step>> wanted() const;
    void readMissing();
    void take(Result<Histograms> read);
    void show();
    void showRidges(const GateKind& kind);
    void showSites(const GateKind& kind);

    Databases& databases_;
    std::vector<GateKind> kinds_;
    Histograms read_;
    std::string readOf_;  ///< run, attempts and exposure of `read_`
    std::string path_;
    QString preferredKind_;
    RidgePlot* ridges_;
    MapView* sites_;
    ScaleBar* bar_;
    QComboBox* choice_;
    QLabel* saturated_;
    Query<Histograms> query_{this, [this](Result<Histograms> read) { take(std::move(read)); }};
};

}  // namespace heddle::ui
