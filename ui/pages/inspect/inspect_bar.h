// SPDX-License-Identifier: GPL-3.0-or-later
// The page's tool bar: the runs A and B, and the family of maps.
#pragma once

#include "ui/panels/inspected_pair.h"

#include <QToolBar>

namespace heddle::ui {

class RunPicker;
class Segments;
class StoredChoices;

class InspectBar : public QToolBar {
    Q_OBJECT

public:
    InspectBar(InspectedPair& pair, QWidget* parent);

    const RunRef& runA() const { return a_; }
    /// Empty without a run B.
    const RunRef& runB() const { return b_; }
    void setRunA(const RunRef& run);
    /// Replaces runs that are in no open database: A by the run that Watch shows, B by the first compared one.
    void chooseRuns();

    /// The slider moves both runs.
    QAction* linkAction() const { return link_; }
    QAction* swapAction() const { return swap_; }

    void storeChoices(StoredChoices& choices);

Q_SIGNALS:
    /// The user chose other runs.
    void runsChosen();

private:
    RunPicker* runBox(const char* id, const QString& name, const QString& letter, const QString& none = {});
    void showRuns();
    void showFamilies();

    InspectedPair& pair_;
    RunRef a_, b_;
    RunPicker *boxA_, *boxB_;
    Segments* families_;
    QAction *swap_, *link_;
};

}  // namespace heddle::ui
