// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram of the draft: what decides its picture (folds, marks, the variant drawn over), and the actions of these.
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

    /// Draws the draft over another variant, or alone where it has no facts.
    void setOver(const DrawnOver& over);
    /// Selects and shows the slot that the path of a problem or a module leads to.
    void goTo(const std::string& path);
    /// On the first start a slot is selected, so that the inspector shows what the page is for.
    void selectFirstDifference();
    bool isSettled() const { return fittedTo_ == draft_.id() || !isVisible(); }
    /// Adds the buttons of the diagram and, among them, `over`. Returns those whose words may be folded away.
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
