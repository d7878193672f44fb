// SPDX-License-Identifier: GPL-3.0-or-later
// Composing a variant: the diagram as the editor, what to start from at its left, the selected slot at its right, problems,
// differences, text and plan below.
#pragma once

#include "ui/pages/compose/draft/drafts_file.h"
#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/page.h"

#include <QTimer>

class QDockWidget;

namespace heddle::ui {

class DraftActions;
class DraftDiagram;
class LayerActions;
class OverMenu;
class PartsTabs;
class ReportTabs;
class SlotSide;
class TotalsStrip;
class VariantLibrary;

class ComposePage : public Page {
    Q_OBJECT

public:
    explicit ComposePage(Studio& studio);

    QString title() const override { return tr("Compose"); }
    Icon icon() const override { return Icon::Compose; }
    QList<QAction*> editActions() const override;
    QList<QAction*> viewActions() const override;
    QList<QAction*> runActions() const override { return {planAction_}; }
    void setShown(bool shown) override;
    bool isSettled() const override;
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;
    void arrange(const QByteArray& arrangement) override;

    VariantDraft& draft() { return draft_; }
    DraftActions& drafts() { return *drafts_; }
    DraftDiagram& diagram() { return *diagram_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeMiddle();
    void makeActions();
    void makeDocks();
    void makeToolBar();
    void connectParts();
    /// Makes the panels at the sides tabs of one dock while the page is too narrow for both.
    void arrangeSides();
    /// Makes the dock below high enough for a report or a plan to be read.
    void growBottom();
    QDockWidget* addDock(const QString& name, const QString& title, std::pair<Qt::DockWidgetArea, QWidget*> content);
    void showLibrary();
    void compose(const Json& document, const QString& name, const RunRef& run, const std::string& key);
    void showPlan();

    VariantDraft draft_;
    DraftsFile file_;
    VariantLibrary* library_;
    TotalsStrip* totals_;
    MessageStrip* strip_;
    DraftDiagram* diagram_;
    DraftActions* drafts_;
    LayerActions* layers_;
    OverMenu* over_;
    PartsTabs* parts_;
    SlotSide* side_;
    ReportTabs* reports_;
    QDockWidget *left_, *right_, *below_;
    QAction *find_, *planAction_;
    bool shown_ = false;
    QTimer autosave_;
};

}  // namespace heddle::ui
