// SPDX-License-Identifier: GPL-3.0-or-later
// Edits a variant: the diagram in the middle, presets and blocks at the left, the selected slot at the right, and problems,
// differences, JSON and plan below.
#pragma once

#include "ui/pages/compose/draft/drafts_file.h"
#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/page.h"
#include "ui/threads/coalescing_timer.h"

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
    ~ComposePage() override;

    QString title() const override { return tr("Compose"); }
    Icon icon() const override { return Icon::Compose; }
    void setShown(bool shown) override;
    bool isSettled() const override;
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;
    void saveDocuments(const QSettings& settings) const override;

    VariantDraft& draft() { return draft_; }
    DraftActions& drafts() { return *drafts_; }
    DraftDiagram& diagram() { return *diagram_; }

private:
    void makeActions();
    void makeDocks();
    void makeToolBar();
    void connectParts();
    /// Makes the dock below high enough for a report or a plan to be read.
    void growBottom();
    void showLibrary();
    void compose(const Json& document, const QString& name, const RunRef& run, const std::string& key);
    Json documents() const;

    VariantDraft draft_{this};
    DraftsFile file_;
    VariantLibrary* library_;
    MessageStrip* strip_;
    TotalsStrip* totals_;
    DraftDiagram* diagram_;
    DraftActions* drafts_;
    LayerActions* layers_;
    OverMenu* over_;
    PartsTabs* parts_;
    SlotSide* side_;
    ReportTabs* reports_;
    QDockWidget *left_, *right_, *below_;
    CoalescingTimer autosave_{this, [this] { file_.writeSoon(this, studio().settings(), documents()); }, Delay::kStored};
};

}  // namespace heddle::ui
