// SPDX-License-Identifier: GPL-3.0-or-later
// Gates: how the distribution at one place moved in training, and the mean of every place by step.
#pragma once

#include "ui/data/gate_data.h"
#include "ui/data/query.h"
#include "ui/panels/panel.h"

class QComboBox;
class QLabel;
class QSettings;

namespace heddle::ui {

class GatesPanel : public Panel {
    Q_OBJECT

public:
    GatesPanel(Databases& databases, QWidget* parent);

    RidgePlot& ridges() { return *ridges_; }
    MapView& sites() { return *sites_; }
    /// How many snapshots are in memory.
    std::size_t held() const { return read_.size(); }
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;

protected:
    void showSubject(const Subject& before) override;
    void forgetRun() override;

private:
    void buildBody();
    void fillKinds();
    void showKinds();
    const GateKind* kind() const;
    const std::vector<Step>& stepsOf(const std::string& path) const;
    /// The snapshots that the picture is made of: the front ridge first, then its history, then the map.
    std::vector<std::pair<std::string, Step>> wanted() const;
    Query::Request nextRequest();
    void show();
    void showRidges(const GateKind& kind);
    void showSites(const GateKind& kind);

    std::vector<GateKind> kinds_;
    Histograms read_;
    std::string readOf_;  ///< run, attempts and exposure that read_ is of
    std::string path_;
    QString wishedKind_;
    RidgePlot* ridges_;
    MapView* sites_;
    ScaleBar* bar_;
    QComboBox* choice_;
    QLabel* saturated_;
    Query* query_;
};

}  // namespace heddle::ui
