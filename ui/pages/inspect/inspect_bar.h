// SPDX-License-Identifier: GPL-3.0-or-later
// The page's tool bar: the runs A and B, and the family of maps.
#pragma once

#include "ui/data/run_database.h"
#include "ui/data/sentence_maps.h"

#include <QToolBar>

namespace heddle::ui {

class RunPicker;
class Segments;
class Studio;

namespace inspect {

class InspectBar : public QToolBar {
    Q_OBJECT

public:
    InspectBar(Studio& studio, QWidget* parent);

    /// Sets the runs to choose from; a chosen run that is gone is chosen no more.
    void setRuns(const std::vector<const Run*>& runs);
    const RunRef& runA() const { return a_; }
    /// Empty without a run B.
    const RunRef& runB() const { return b_; }
    void setRunA(const RunRef& run);
    void setRunB(const RunRef& run);

    MapFamily family() const;
    void setFamily(MapFamily family);
    /// Sets which families the sentence has; the others cannot be chosen.
    void setFamilies(const std::array<bool, kMapFamilies>& possible);
    /// The slider moves both runs.
    QAction* linkAction() const { return link_; }
    QAction* swapAction() const { return swap_; }

Q_SIGNALS:
    /// The user chose other runs.
    void runsChosen();
    void familyChosen();

private:
    RunPicker* runBox(const QString& name, const QString& letter);
    void show();

    Studio& studio_;
    RunRef a_, b_;
    std::vector<Run> runs_;
    RunPicker *boxA_, *boxB_;
    Segments* families_;
    QAction *swap_, *link_;
};

}  // namespace inspect
}  // namespace heddle::ui
