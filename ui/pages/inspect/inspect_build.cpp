// SPDX-License-Identifier: GPL-3.0-or-later
// How the page is put together: panels, docks, keys. Single letters work while a view has the focus.
#include "ui/data/run_actions.h"
#include "ui/pages/first_run.h"
#include "ui/pages/inspect/inspect_bar.h"
#include "ui/pages/inspect/inspect_page.h"
#include "ui/panels/effect_view.h"
#include "ui/panels/head_grid_panel.h"
#include "ui/panels/head_panel.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sentence_panel.h"
#include "ui/panels/token_bars_panel.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QBoxLayout>
#include <QDockWidget>
#include <QStackedWidget>
#include <QToolBar>

namespace heddle::ui {
namespace {

constexpr int kDetailsMs = 2000;

}  // namespace

void InspectPage::build() {
    grid_ = new HeadGridPanel(this);
    head_ = new HeadPanel(this);
    losses_ = new TokenBarsPanel(tr("Loss by label"), this);
    gates_ = new TokenBarsPanel(tr("Mean gate"), this);
    sentence_ = new SentencePanel(this);
    interventions_ = new InterventionsPanel(this);
    scrub_ = new ScrubBar(this);
    panels_.setPanels({grid_, head_, losses_, gates_});

    auto* content = new QWidget(this);
    QVBoxLayout* column = makeColumn(content);
    column->addWidget(grid_, 1);
    stack_ = new QStackedWidget(this);
    stack_->addWidget(makeFirstRunCard(studio(), this));
    stack_->addWidget(content);
    setCentralWidget(stack_);

    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    // The title row of each panel is that of its dock, which is dragged by it.
    const auto dock = [this](const char* name, const QString& title, auto* panel) {
        auto* made = new QDockWidget(title, this);
        made->setObjectName(QStringLiteral("inspect_") + QLatin1String(name));
        made->setAccessibleName(title);
        made->setTitleBarWidget(panel->titleRow());  // before the panel, for F6 looks for the focus in this order
        made->setWidget(panel);
        return made;
    };
    QDockWidget* sentence = dock("sentence", tr("Probe sentences"), sentence_);
    QDockWidget* gates = dock("gates", tr("Mean gate"), gates_);
    QDockWidget* head = dock("head", tr("Head"), head_);
    QDockWidget* losses = dock("losses", tr("Loss by label"), losses_);
    QDockWidget* interventions = dock("interventions", tr("Interventions"), interventions_);
    addDockWidget(Qt::LeftDockWidgetArea, sentence);
    splitDockWidget(sentence, gates, Qt::Vertical);
    addDockWidget(Qt::RightDockWidgetArea, head);
    splitDockWidget(head, losses, Qt::Vertical);
    addDockWidget(Qt::BottomDockWidgetArea, interventions);
    resizeDocks({sentence, head}, {px(220), px(420)}, Qt::Horizontal);
    resizeDocks({sentence, gates}, {px(480), px(220)}, Qt::Vertical);
    resizeDocks({head, losses}, {px(460), px(240)}, Qt::Vertical);
    resizeDocks({interventions}, {px(240)}, Qt::Vertical);
    // The slider is below everything, the docks, too.
    auto* below = new QToolBar(tr("Step"), this);
    below->setObjectName(QStringLiteral("inspect_steps"));
    below->setMovable(false);
    below->setFloatable(false);
    scrub_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    below->addWidget(scrub_);
    below->layout()->setContentsMargins(0, 0, 0, 0);
    addToolBar(Qt::BottomToolBarArea, below);
    addLayoutBox(*bar_);
}

void InspectPage::connectAll() {
    Databases& databases = studio().databases();
    connect(&databases, &Databases::currentChanged, this, &InspectPage::refresh);
    connect(&databases, &Databases::runsChanged, this, &InspectPage::refresh);
    detailsTimer_.setSingleShot(true);
    detailsTimer_.setInterval(kDetailsMs);
    connect(&detailsTimer_, &QTimer::timeout, this, [this] {
        if (shown_) details_.refresh();
    });
    connect(&databases, &Databases::changed, this, [this] {
        if (shown_ && !detailsTimer_.isActive()) detailsTimer_.start();
    });
    connect(&inspector_, &Inspector::busyChanged, this, [this] {
        if (!inspector_.isBusy()) setMeasuring(false);  // also what was cancelled
    });
    connect(&studio(), &Studio::currentRunChanged, this, [this] {
        bar_->setRunA(studio().currentRun());
        refresh();
    });
    connect(&studio(), &Studio::stylesChanged, this, &InspectPage::showBars);
    connect(&details_, &RunDetails::changed, this, &InspectPage::showDetails);
    const auto report = [this](const Problem& problem) { studio().report(problem); };
    connect(&details_, &RunDetails::failed, this, report);
    for (const InspectedRun* run : {a_, b_}) connect(run, &InspectedRun::failed, this, report);
    connect(bar_, &inspect::InspectBar::runsChosen, this, [this] {
        studio().setCurrentRun(bar_->runA());
        refresh();
    });
    connect(bar_, &inspect::InspectBar::familyChosen, this, &InspectPage::showMaps);
    connect(bar_->linkAction(), &QAction::toggled, this, &InspectPage::showSteps);
    connect(scrub_, &ScrubBar::stepChanged, this, &InspectPage::showSteps);
    connect(sentence_, &SentencePanel::sentenceChanged, this, &InspectPage::takeSentence);
    for (InspectedRun* run : {a_, b_}) {
        connect(run, &InspectedRun::recordedChanged, this, &InspectPage::showMaps);
        connect(run, &InspectedRun::observedChanged, this, [this, run] {
            if (run == a_) showSentenceOfB();
            showMaps();
            showModel();
        });
    }
    connect(&grid_->grid(), &HeadGrid::currentChanged, this, [this] {
        showHead();
        showBars();
    });
    connect(&grid_->grid(), &HeadGrid::hovered, this, [this](std::optional<HeadPlace> place) {
        grid_->setNote(place ? grid_->grid().accessibleText(*place) : gridNote());
        hovered_ = place;
        showHead();
    });
    connect(head_, &HeadPanel::viewChanged, this, &InspectPage::showBars);
    connect(interventions_, &InterventionsPanel::activeChanged, this,
            [this] { grid_->grid().setMuted(interventions_->mutedHeads()); });
    connect(interventions_, &InterventionsPanel::measureRequested, this, &InspectPage::measure);
    connect(interventions_, &InterventionsPanel::rankRequested, this, &InspectPage::rank);
    connect(interventions_, &InterventionsPanel::trainingChangeRequested, this, &InspectPage::changeTraining);
    connect(interventions_, &InterventionsPanel::cancelRequested, this, [this] { inspector_.cancel(); });
    connect(interventions_, &InterventionsPanel::keptChosen, this, [this](const QString& question) {
        failed_.reset();
        question_ = question.toStdString();
        showEffects();
    });
    connect(interventions_, &InterventionsPanel::exportRequested, this, &InspectPage::exportMeasurement);
    connect(&interventions_->effects(), &EffectView::headChosen, grid_, &HeadGridPanel::choose);
    connect(&panels_, &PanelGroup::expandedChanged, this, &InspectPage::arrangePanels);
    connect(&panels_, &PanelGroup::failed, this, [this](const Problem& problem) { studio().report(problem); });
}

void InspectPage::buildActions() {
    const QList<QWidget*> plots = panels_.plots();
    const QList<QWidget*> views = plots + QList<QWidget*>{&scrub_->scrubber()};
    const auto add = [this](QList<QAction*>& menu, const QString& text, const QKeySequence& key, const QList<QWidget*>& places,
                            const std::function<void()>& run) {
        QAction* action = viewAction(text, key, run);
        menu.append(action);
        for (QWidget* place : places) place->addAction(action);
        return action;
    };
    add(editActions_, tr("Copy plot"), QKeySequence::Copy, plots, [this] { panels_.current()->copy(); });
    makeExport(*add(editActions_, tr("Export plot…"), {}, plots, [this] { panels_.current()->exportAs(); }));
    const QStringList shows{tr("Show A"), tr("Show B"), tr("Show A and B"), tr("Show A − B")};
    for (int i = 0; i < 4; ++i)
        add(viewActions_, shows[i], QKeySequence(Qt::Key_1 + i), views, [this, i] { head_->setView(HeadView(i)); });
    add(viewActions_, tr("Values or map"), Qt::Key_V, views, [this] { head_->toggleTable(); });
    add(viewActions_, tr("Table or chart"), Qt::Key_T, plots, [this] { panels_.current()->toggleTable(); });
    add(viewActions_, tr("Earlier step"), QKeySequence(Qt::CTRL | Qt::Key_Left), views, [this] { scrub_->goPrevious(); });
    add(viewActions_, tr("Later step"), QKeySequence(Qt::CTRL | Qt::Key_Right), views, [this] { scrub_->goNext(); });
    add(viewActions_, tr("First step"), QKeySequence(Qt::CTRL | Qt::Key_Home), views, [this] { scrub_->goFirst(); });
    add(viewActions_, tr("Follow the newest step"), QKeySequence(Qt::CTRL | Qt::Key_End), views, [this] { scrub_->follow(); });
    add(viewActions_, tr("Play the steps"), Qt::Key_P, views, [this] { scrub_->togglePlay(); });
    add(viewActions_, tr("Full size"), Qt::Key_F, plots, [this] { panels_.toggleFullSize(); });
    leaveFullSize_ = add(viewActions_, tr("Leave full size"), Qt::Key_Escape, plots, [this] { panels_.expand(nullptr); });
    leaveFullSize_->setEnabled(false);
    viewActions_.append(bar_->linkAction());
    viewActions_.append(bar_->swapAction());
    add(runActions_, tr("Mute the chosen head"), Qt::Key_M, views, [this] { muteHead(); });
    add(runActions_, tr("Clamp a gate of the chosen sublayer…"), Qt::Key_G, views, [this] {
        if (const HeadRow* row = grid_->row()) interventions_->clampGateOf(row->sublayer);
    });
    runActions_.append({&onRunA_->pauseOrResume(), &onRunA_->action(RunVerb::Checkpoint), &onRunA_->action(RunVerb::Stop),
                        &onRunA_->watch(), &onRunA_->compare(), &onRunA_->clone(), &onRunA_->fork()});
}

/// Shows one panel alone, or all again where they stood.
void InspectPage::arrangePanels(const Panel* before) {
    if (before) {
        stack_->show();
        restoreState(beforeExpanding_);
    }
    const Panel* const alone = panels_.expanded();
    leaveFullSize_->setEnabled(alone);
    if (!alone) return;
    beforeExpanding_ = saveState();
    for (QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        dock->setVisible(dock->widget() == alone);
    stack_->setVisible(alone == grid_);
}

}  // namespace heddle::ui
