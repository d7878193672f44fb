// SPDX-License-Identifier: GPL-3.0-or-later
// The page's tool bar: the runs A and B, and the family of maps.
#pragma once

#include "ui/panels/inspected_pair.h"

#include <QToolBar>

class QSettings;

namespace heddle::ui {

class RunPicker;
class Segments;

class InspectBar : public QToolBar {
    Q_OBJECT

public:
    InspectBar(InspectedPair& pair, QWidget* parent);

    const RunRef& runA() const { return a_; }
    /// Empty without a run B.
    const RunRef& runB() const { return b_; }
    void setRunA(const RunRef& run);
    /// Chooses runs where none are chosen or those are gone: A is the run that Watch shows, B the first compared one.
    void chooseRuns();

    /// The slider moves both runs.
    QAction* linkAction() const { return link_; }
    QAction* swapAction() const { return swap_; }

    void saveSession(QSettings& settings) const;
    void restoreSession(QSettings& settings);

Q_SIGNALS:
    /// The user chose other runs.
    void runsChosen();

private:
    RunPicker* runBox(const QString& name, const QString& letter, const QString& none = {});
    void showRuns();
    void showFamilies();

    InspectedPair& pair_;
    RunRef a_, b_;
    RunPicker *boxA_, *boxB_;
    Segments* families_;
    QAction *swap_, *link_;
};

}  // namespace heddle::ui
