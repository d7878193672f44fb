// SPDX-License-Identifier: GPL-3.0-or-later
// The Inspect page: heads, gates, losses and outputs of one or two runs for a sentence at a step, and the effect of changing a
// part of the model. Models are opened from checkpoints, so that training is not disturbed.
#pragma once

#include "ui/data/run_details.h"
#include "ui/pages/page.h"
#include "ui/panels/inspected_pair.h"
#include "ui/panels/panel.h"

class QStackedWidget;

namespace heddle::ui {

class HeadGridPanel;
class HeadLabelsPanel;
class HeadPanel;
class InspectBar;
class InterventionsPanel;
class RunActions;
class ScrubBar;
class SentencePanel;

class InspectPage : public Page {
    Q_OBJECT

public:
    InspectPage(Studio& studio, Inspector::Opener openModel);

    QString title() const override { return tr("Inspect"); }
    Icon icon() const override { return Icon::Inspect; }
    void setShown(bool shown) override;
    bool isSettled() const override;
    /// While a panel is in full size, the arrangement of all of them before.
    QByteArray arrangement() const override;
    void arrange(const QByteArray& arrangement) override;

private:
    void build();
    QDockWidget* dock(const char* name, Panel* panel);
    void buildActions();
    void connectAll();
    void arrangePanels(const Panel* before);
    void refresh();
    void showDetails();
    void showSteps();

    RunDetails details_;
    InspectedPair pair_;
    bool shown_ = false;
    bool entered_ = false;  ///< whether the page was shown before; later the focus stays where the user left it
    RunActions* onRunA_;
    InspectBar* bar_;
    QStackedWidget* stack_;
    HeadGridPanel* grid_;
    HeadPanel* head_;
    SentencePanel* sentence_;
    InterventionsPanel* interventions_;
    HeadLabelsPanel* labels_;
    ScrubBar* scrub_;
    PanelGroup panels_{this};
    QByteArray beforeExpanding_;
};

}  // namespace heddle::ui
