// SPDX-License-Identifier: GPL-3.0-or-later
// The page's tool bar: the runs A and B, what of the attention is shown.
#pragma once

#include "ui/data/run_database.h"
#include "ui/data/sentence_maps.h"

#include <QToolBar>

class QComboBox;

namespace heddle::ui {

class Segments;
class Studio;

namespace inspect {

class InspectBar : public QToolBar {
    Q_OBJECT

public:
    InspectBar(Studio& studio, QWidget* parent);

    /// The runs that are open; those that are gone are not chosen any more.
    void setRuns(const std::vector<const Run*>& runs);
    const RunRef& runA() const { return a_; }
    /// Empty: there is no B.
    const RunRef& runB() const { return b_; }
    void setRunA(const RunRef& run);
    void setRunB(const RunRef& run);

    MapFamily family() const;
    void setFamily(MapFamily family);
    /// Families that the sentence has; the others cannot be chosen.
    void setFamilies(const std::array<bool, kMapFamilies>& possible);
    /// The slider moves both runs.
    QAction* linkAction() const { return link_; }
    QAction* swapAction() const { return swap_; }

Q_SIGNALS:
    /// The user chose other runs.
    void runsChosen();
    void familyChosen();

private:
    QComboBox* runBox(const QString& name, const QString& letter);
    void show();

    Studio& studio_;
    RunRef a_, b_;
    std::vector<Run> runs_;
    QComboBox *boxA_, *boxB_;
    Segments* families_;
    QAction *swap_, *link_;
};

}  // namespace inspect
}  // namespace heddle::ui
