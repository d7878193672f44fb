// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram of the draft with its options (folds, marks, the variant drawn over) and the actions that change them.
#pragma once

#include "ui/data/studio.h"
#include "ui/pages/compose/diagram/diagram_view.h"

class QAction;
class QToolBar;
class QToolButton;

namespace heddle::ui {

class DraftDiagram : public DiagramView {
    Q_OBJECT

public:
    DraftDiagram(VariantDraft& draft, Studio& studio, QWidget* parent);

    /// Draws the draft over another variant; without facts, draws the draft alone.
    void setOver(const DrawnOver& over);
    /// Selects and shows the slot with the path of a problem or a module.
    void goTo(const std::string& path);
    /// Selects the first slot that differs from the baseline, so that the inspector has something to show.
    void selectFirstDifference();
    bool isSettled() const { return fittedTo_ == draft_.id() || !isVisible() || !draft_.facts(); }
    /// Adds the buttons of the diagram and, among them, `over`. Returns those that may be shown without their text.
    std::vector<QToolButton*> addTools(QToolBar& bar, QToolButton* over);
    void saveSession(QSettings& settings) const;
    void restoreSession(const QSettings& settings);

    QAction *const unfold, *const mark, *const carries, *const zoomInAction, *const zoomOutAction, *const actualSize,
                                                                                                       *const fitAction,
                                                                                                           *const exportAction;

protected:
    void showEvent(QShowEvent* event) override;

private:
    void relayout();
    void showSite();
    void fitOnce();
    void toggleFold(const std::string& stack);
    void setUnfolded(std::set<std::string> stacks);
    void exportDiagram();

    VariantDraft& draft_;
    Studio& studio_;
    DiagramOptions options_;
    int fittedTo_ = 0;  ///< id of the draft that the zoom was fitted to
};

}  // namespace heddle::ui
