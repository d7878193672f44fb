// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/inspect/inspect_page.h"

#include "ui/data/run_actions.h"
#include "ui/pages/first_run.h"
#include "ui/pages/inspect/inspect_bar.h"
#include "ui/panels/head_grid_panel.h"
#include "ui/panels/head_labels_panel.h"
#include "ui/panels/head_panel.h"
#include "ui/panels/intervention_list.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/lens_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sentence_panel.h"
#include "ui/panels/token_bars_panel.h"
#include "ui/text/number.h"
#include "ui/theme/type.h"

#include <QAction>
#include <QDockWidget>
#include <QLayout>
#include <QStackedWidget>
#include <QToolBar>

#include <utility>

namespace heddle::ui {

InspectPage::InspectPage(Studio& studio, Inspector::Opener openModel)
    : Page(studio, PageId::Inspect, QStringLiteral("inspect")),
      details_(studio.databases(), this),
      pair_(studio, std::move(openModel)),
      onRunA_(new RunActions(studio, this)),
      bar_(new InspectBar(pair_, this)) {
    addToolBar(bar_);
    build();
    buildActions();
    connectAll();
    rememberLayout();
    pair_.setRuns(nullptr, nullptr);
}

QDockWidget* InspectPage::dock(const char* name, Panel* panel) {
    QDockWidget* made = makeDock(QStringLiteral("inspect_") + QLatin1String(name), panel->title(), nullptr);
    made->setAccessibleName(panel->title());
    // The title row of each panel is the title bar of its dock, which moves with it. It is set before the panel because F6 goes
    // through the children in this order.
    made->setTitleBarWidget(panel->titleRow());
    made->setWidget(panel);
    return made;
}

void InspectPage::build() {
    grid_ = new HeadGridPanel(pair_, this);
    head_ = new HeadPanel(pair_, this);
    auto* lossBars = new LabelLossPanel(pair_, this);
    auto* lens = new LensPanel(pair_, this);
    auto* gateBars = new MeanGatePanel(pair_, this);
    sentence_ = new SentencePanel(pair_, this);
    interventions_ = new InterventionsPanel(pair_, this);
    labels_ = new HeadLabelsPanel(pair_, this);
    scrub_ = new ScrubBar(this);
    panels_.setPanels({grid_, head_, lossBars, lens, gateBars, sentence_, interventions_, labels_});

    stack_ = new QStackedWidget(this);
    stack_->addWidget(makeFirstRunCard(studio(), this));
    stack_->addWidget(grid_);
    setCentralWidget(stack_);

    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    QDockWidget* sentence = dock("sentence", sentence_);
    QDockWidget* gates = dock("gates", gateBars);
    QDockWidget* head = dock("head", head_);
    QDockWidget* losses = dock("losses", lossBars);
    QDockWidget* interventions = dock("interventions", interventions_);
    addDockWidget(Qt::LeftDockWidgetArea, sentence);
    splitDockWidget(sentence, gates, Qt::Vertical);
    addDockWidget(Qt::RightDockWidgetArea, head);
    splitDockWidget(head, losses, Qt::Vertical);
    addDockWidget(Qt::BottomDockWidgetArea, interventions);
    tabifyDockWidget(interventions, dock("lens", lens));
    tabifyDockWidget(interventions, dock("labels", labels_));
    interventions->raise();
    resizeDocks({sentence, head}, {px(220), px(420)}, Qt::Horizontal);
    resizeDocks({sentence, gates}, {px(480), px(220)}, Qt::Vertical);
    resizeDocks({head, losses}, {px(460), px(240)}, Qt::Vertical);
    resizeDocks({interventions}, {px(264)}, Qt::Vertical);
    // The slider is below all docks.
    auto* below = new QToolBar(tr("Step"), this);
    below->setObjectName(QStringLiteral("inspect_steps"));
    below->setMovable(false);
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
    connect(&databases, &Databases::changed, this, [this] {
        if (shown_) details_.refreshThrottled();
    });
    connect(&studio(), &Studio::currentRunChanged, this, [this] {
        bar_->setRunA(studio().currentRun());
        refresh();
    });
    connect(bar_, &InspectBar::runsChosen, this, [this] {
        if (studio().currentRun() == bar_->runA()) return refresh();
        studio().setCurrentRun(bar_->runA());
    });
    connect(&details_, &RunDetails::changed, this, &InspectPage::showDetails);
    connect(bar_->linkAction(), &QAction::toggled, this, &InspectPage::showSteps);
    connect(scrub_, &ScrubBar::stepChanged, this, &InspectPage::showSteps);
    HeadGrid& grid = grid_->grid();
    const InterventionList& list = interventions_->list();
    connect(&list, &InterventionList::activeChanged, &grid, [&grid, &list] { grid.setMuted(list.mutedHeads()); });
    connect(interventions_, &InterventionsPanel::costsChanged, &grid, &HeadGrid::setCosts);
    connect(interventions_, &InterventionsPanel::headChosen, grid_, &HeadGridPanel::choose);
    connect(labels_, &HeadLabelsPanel::headChosen, grid_, &HeadGridPanel::choose);
    connect(labels_, &HeadLabelsPanel::labelsChanged, &grid, &HeadGrid::setLabels);
    connect(interventions_, &InterventionsPanel::trainingChanged, &details_, &RunDetails::refresh);
    connect(&panels_, &PanelGroup::expandedChanged, this, &InspectPage::arrangePanels);
    const auto report = [this](const Problem& problem) { studio().report(problem); };
    connect(&details_, &RunDetails::failed, this, report);
    connect(&panels_, &PanelGroup::failed, this, report);
}

/// Single letters work while a view has the focus.
void InspectPage::buildActions() {
    bar_->storeChoices(choices_);
    const QList<QWidget*> views = panels_.plots() + QList<QWidget*>{&scrub_->scrubber()};
    const ActionInfo shows[]{{"showA", tr("Show A"), {}, Qt::Key_1},
                             {"showB", tr("Show B"), {}, Qt::Key_2},
                             {"showBoth", tr("Show A and B"), {}, Qt::Key_3},
                             {"showDifference", tr("Show A − B"), {}, Qt::Key_4}};
    for (int i = 0; i < 4; ++i) add(viewActions_, shows[i], views, [this, i] { head_->setView(HeadView(i)); });
    add(viewActions_, {"valuesOrMap", tr("Show values or map"), {}, Qt::Key_V}, views, [this] { head_->toggleTable(); });
    addPlotActions(panels_);
    add(viewActions_, {"earlierStep", tr("Show earlier step"), {}, QKeySequence(Qt::CTRL | Qt::Key_Left)}, views,
        [this] { scrub_->goPrevious(); });
    add(viewActions_, {"laterStep", tr("Show later step"), {}, QKeySequence(Qt::CTRL | Qt::Key_Right)}, views,
        [this] { scrub_->goNext(); });
    add(viewActions_, {"firstStep", tr("Show first step"), {}, QKeySequence(Qt::CTRL | Qt::Key_Home)}, views,
        [this] { scrub_->goFirst(); });
    add(viewActions_, {"followSteps", tr("Follow the newest step"), {}, QKeySequence(Qt::CTRL | Qt::Key_End)}, views,
        [this] { scrub_->follow(); });
    add(viewActions_, {"playSteps", tr("Play steps"), {}, Qt::Key_P}, views, [this] { scrub_->togglePlay(); });
    viewActions_ << bar_->linkAction() << bar_->swapAction();
    add(runActions_, {"muteHead", tr("Mute selected head"), {}, Qt::Key_M}, views, [this] { interventions_->muteHead(); });
    add(runActions_, {"clampGate", tr("Clamp a gate of the selected sublayer…"), {}, Qt::Key_G}, views,
        [this] { interventions_->clampGate(); });
    runActions_.append({&onRunA_->pauseOrResume(), &onRunA_->action(RunVerb::Checkpoint), &onRunA_->action(RunVerb::Stop),
                        &onRunA_->watch(), &onRunA_->compare(), &onRunA_->clone(), &onRunA_->fork()});
}

/// Shows the expanded panel only, or restores the places of all panels.
void InspectPage::arrangePanels(const Panel* before) {
    if (before) {
        stack_->show();
        Page::arrange(beforeExpanding_);
    }
    const Panel* const alone = panels_.expanded();
    if (!alone) return;
    beforeExpanding_ = Page::arrangement();
    for (QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        dock->setVisible(dock->widget() == alone);
    stack_->setVisible(alone == grid_);
}

QByteArray InspectPage::arrangement() const { return panels_.expanded() ? beforeExpanding_ : Page::arrangement(); }

void InspectPage::arrange(const QByteArray& arrangement) {
    panels_.expand(nullptr);
    Page::arrange(arrangement);
}

void InspectPage::setShown(bool shown) {
    shown_ = shown;
    for (InspectedRun* run : {&pair_.a(), &pair_.b()}) run->setActive(shown);
    if (!shown) return;
    refresh();
    if (!std::exchange(entered_, true)) grid_->grid().setFocus();
}

bool InspectPage::isSettled() const { return Page::isSettled() && pair_.isSettled(); }

void InspectPage::refresh() {
    if (!shown_) return;
    bar_->chooseRuns();
    stack_->setCurrentIndex(studio().databases().runs().empty() ? 0 : 1);
    std::vector<RunRef> wanted{bar_->runA()};
    if (!bar_->runB().empty() && bar_->runB() != bar_->runA()) wanted.push_back(bar_->runB());
    onRunA_->setRuns({bar_->runA()});
    details_.setRuns(wanted);
    details_.refresh();
    showDetails();
}

void InspectPage::showDetails() {
    if (!shown_) return;
    const auto a = details_.of(bar_->runA());  // null while the run is read: the panels then show nothing
    pair_.setRuns(a, bar_->runB().empty() ? nullptr : details_.of(bar_->runB()));
    if (a || bar_->runA().empty())  // the chosen step stays while the run is read
        scrub_->setDetail(a.get(), a ? inspectableSteps(*a) : std::vector<int>{});
    showSteps();
}

void InspectPage::showSteps() {
    const Step step = scrub_->step();
    pair_.a().setStep(step);
    if (bar_->linkAction()->isChecked() || pair_.b().step() == 0) pair_.b().setStep(step);
    QStringList words;
    const auto& a = pair_.a().detail();
    if (const auto epoch = a ? a->epochOf(step) : std::nullopt) words << tr("epoch %1").arg(count(*epoch));
    if (pair_.b().detail() && pair_.b().step() != step) words << tr("B at step %1").arg(count(pair_.b().step()));
    scrub_->setNote(words.join(QStringLiteral("; ")));
}

}  // namespace heddle::ui
