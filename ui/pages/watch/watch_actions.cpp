// SPDX-License-Identifier: GPL-3.0-or-later
// The actions of the page, by tool bar, menu and keyboard. Single letters work while a plot or a list has the focus.
#include "ui/pages/watch/card_choice.h"
#include "ui/pages/watch/state_words.h"
#include "ui/pages/watch/watch_bar.h"
#include "ui/pages/watch/watch_page.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/log_view.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sparsity_panel.h"
#include "ui/theme/icons.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QListView>
#include <QTabWidget>

#include <algorithm>

namespace heddle::ui {

using namespace watch;

void WatchPage::addToViews(QAction* action, const QList<QWidget*>& views) {
    for (QWidget* view : views) view->addAction(action);
}

void WatchPage::buildActions() {
    const QList<QWidget*> plots = cards_.plots();
    const QList<QWidget*> lists{queueView_, curvesView_, logView_, &scrub_->scrubber(), throughput_};
    editActions_ = {viewAction(tr("Copy plot"), QKeySequence::Copy, [this] { cards_.current()->copy(); }),
                    viewAction(tr("Export plot…"), {}, [this] { cards_.current()->exportAs(); })};
    makeExport(*editActions_.last());
    for (QAction* action : editActions_) addToViews(action, plots);
    buildCurveActions(plots + lists);
    buildSnapshotActions(plots, lists);
    buildRunActions(plots + lists);
    buildStripActions();
}

void WatchPage::addViewAction(QAction* action, const QList<QWidget*>& views) {
    viewActions_.append(action);
    addToViews(action, views);
}

void WatchPage::buildCurveActions(const QList<QWidget*>& views) {
    bar_->logAction()->setShortcut(Qt::Key_Y);
    bar_->logAction()->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    bar_->linkAction()->setShortcut(Qt::Key_L);
    bar_->linkAction()->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    viewActions_.append(bar_->followAction());
    addViewAction(bar_->logAction(), views);
    wholePlan_ = new QAction(tr("Whole plan on the x-axis"), this);
    wholePlan_->setToolTip(tr("To the last step that is planned, not to where the data end"));
    wholePlan_->setCheckable(true);
    connect(wholePlan_, &QAction::toggled, this, &WatchPage::showCurves);
    ignoreOutliers_ = loss_->plot().makeOutlierAction(this);
    viewActions_.append({wholePlan_, ignoreOutliers_});
    addViewAction(viewAction(tr("Next x-axis"), Qt::Key_X, [this] { bar_->nextAxis(); }), views);
    addViewAction(viewAction(tr("Smoothing"), Qt::Key_S, [this] { bar_->focusSmoothing(); }), views);
    addViewAction(bar_->linkAction(), views);
    addViewAction(viewAction(tr("Reset zoom"), Qt::Key_R,
                             [this] {
                                 loss_->plot().resetZoom();
                                 accuracy_->plot().resetZoom();
                             }),
                  views);
    addViewAction(viewAction(tr("Hide or show curve"), Qt::Key_H, [this] { toggleHidden(listedRun()); }), views);
    addViewAction(viewAction(tr("Hide other curves"), QKeySequence(Qt::ALT | Qt::Key_H), [this] { hideOthers(); }), views);
    stopComparing_ =
        viewAction(tr("Stop comparing"), QKeySequence(Qt::Key_Delete), [this] { stopComparing(listedCompared()); });
    addViewAction(stopComparing_, {curvesView_});
    connect(curvesView_->selectionModel(), &QItemSelectionModel::currentChanged, this, &WatchPage::nameTargets);
    connect(&curves_, &QAbstractItemModel::modelReset, this, &WatchPage::nameTargets);
}

void WatchPage::buildSnapshotActions(const QList<QWidget*>& plots, const QList<QWidget*>& lists) {
    QList<QWidget*> time;
    for (QWidget* plot : plots)
        if (!qobject_cast<MapView*>(plot)) time.append(plot);  // a map's arrows walk its cells
    addViewAction(viewAction(tr("Earlier snapshot"), Qt::Key_Left, [this] { scrub_->goPrevious(); }), time);
    addViewAction(viewAction(tr("Later snapshot"), Qt::Key_Right, [this] { scrub_->goNext(); }), time);
    addViewAction(viewAction(tr("First snapshot"), Qt::Key_Home, [this] { scrub_->goFirst(); }), plots);
    addViewAction(viewAction(tr("Follow the newest snapshot"), Qt::Key_End, [this] { scrub_->follow(); }), plots);
    addViewAction(viewAction(tr("Play the snapshots"), Qt::Key_P, [this] { scrub_->togglePlay(); }), plots + lists);
    addViewAction(viewAction(tr("Previous head"), Qt::Key_BracketLeft, [this] { attention_->nextHead(-1); }), plots + lists);
    addViewAction(viewAction(tr("Next head"), Qt::Key_BracketRight, [this] { attention_->nextHead(1); }), plots + lists);
    addViewAction(viewAction(tr("Table or chart"), Qt::Key_T, [this] { cards_.current()->toggleTable(); }), plots);
    addViewAction(viewAction(tr("Full size"), Qt::Key_F, [this] { cards_.toggleFullSize(); }), plots);
    leaveFullSize_ = viewAction(tr("Leave full size"), Qt::Key_Escape, [this] { cards_.expand(nullptr); });
    arrangeCards();
    addViewAction(leaveFullSize_, plots);
}

void WatchPage::buildRunActions(const QList<QWidget*>& views) {
    QAction& pause = onRuns_->pauseOrResume();
    pause.setShortcut(Qt::Key_Space);
    pause.setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addToViews(&pause, views);
    earlier_ = viewAction(tr("Earlier in the queue"), QKeySequence(Qt::ALT | Qt::Key_Up), [this] { moveInQueue(-1); });
    later_ = viewAction(tr("Later in the queue"), QKeySequence(Qt::ALT | Qt::Key_Down), [this] { moveInQueue(1); });
    for (QAction* action : {earlier_, later_}) addToViews(action, {queueView_});
    runActions_ = {&pause,
                   &onRuns_->action(RunVerb::Checkpoint),
                   &onRuns_->action(RunVerb::Stop),
                   earlier_,
                   later_,
                   &onRuns_->inspect(),
                   &onRuns_->compare(),
                   &onRuns_->clone(),
                   &onRuns_->fork()};
}

/// The actions of the message strip.
void WatchPage::buildStripActions() {
    openLog_ = new QAction(tr("Open log"), this);
    copyDetails_ = new QAction(tr("Copy details"), this);
    correct_ = new QAction(tr("Clone and correct"), this);
    correct_->setObjectName(QStringLiteral("cloneAndCorrect"));
    correct_->setToolTip(tr("Open the spec in Compose at what went wrong"));
    connect(correct_, &QAction::triggered, this, &WatchPage::cloneAndCorrect);
    connect(openLog_, &QAction::triggered, this, [this] {
        tabs_->setCurrentWidget(logView_);
        logView_->setFocus(Qt::OtherFocusReason);
    });
    connect(copyDetails_, &QAction::triggered, this, [this] {
        const auto detail = currentDetail();
        const auto words = detail ? stateWords(*detail) : std::nullopt;
        if (words)
            QApplication::clipboard()->setText(
                QStringList{words->title, words->text, words->advice, {}, log_.text()}.join(QLatin1Char('\n')));
    });
}

QList<QAction*> WatchPage::panelActions() const { return choice_->actions() + Page::panelActions(); }

void WatchPage::wireBar() {
    connect(bar_, &WatchBar::runChosen, this, &WatchPage::chooseByHand);
    connect(bar_, &WatchBar::axisChanged, this, &WatchPage::showAxis);
    connect(bar_, &WatchBar::smoothingChanged, this, [this](int steps) {
        for (CurvePlot* plot : plotsOverSteps()) plot->setSmoothing(steps);
        showLegend();
    });
    connect(bar_->logAction(), &QAction::toggled, this,
            [this](bool on) { loss_->plot().setValueScale(on ? AxisScale::Log : AxisScale::Linear); });
}

/// Puts the run of an action into its text.
void WatchPage::nameTargets() {
    const auto named = [this](QAction& action, const QString& words, const RunRef& run) {
        setTarget(action, words, targetOf(studio().databases().run(run)));
    };
    named(*earlier_, tr("Move %1 earlier in the queue"), queuedRun());
    named(*later_, tr("Move %1 later in the queue"), queuedRun());
    named(*stopComparing_, tr("Stop comparing %1"), listedCompared());
    stopComparing_->setEnabled(!listedCompared().empty());
}

RunRef WatchPage::queuedRun() const { return RunRef::fromKey(queueView_->currentIndex().data(QueueModel::RunRole).toString()); }

/// The list changes when the database has the new order; `by` counts from the place of the run then.
void WatchPage::moveInQueue(int by) {
    const RunRef run = queuedRun();
    if (!run.empty()) studio().commander().edit(run.database, MoveRun{run.id, by});
}

/// Opens the run's draft in Compose at what the failure names, with the failure above it.
void WatchPage::cloneAndCorrect() {
    const auto detail = currentDetail();
    const auto words = detail ? stateWords(*detail) : std::nullopt;
    onRuns_->openClone(words ? words->fault : std::string());
    if (words) studio().report(MessageStrip::Message{StripKind::Warn, words->title, words->advice});
}

/// The run chosen in the list of curves while it has the focus, else the current one.
RunRef WatchPage::listedRun() const {
    const RunRef listed = RunRef::fromKey(curvesView_->currentIndex().data(CurvesModel::RunRole).toString());
    return curvesView_->hasFocus() && !listed.empty() ? listed : studio().currentRun();
}

/// The run chosen in the list of curves, if it is one of those that the current run is compared with.
RunRef WatchPage::listedCompared() const {
    const RunRef listed = RunRef::fromKey(curvesView_->currentIndex().data(CurvesModel::RunRole).toString());
    const auto& compared = studio().comparedRuns();
    return std::find(compared.begin(), compared.end(), listed) == compared.end() ? RunRef() : listed;
}

void WatchPage::toggleHidden(const RunRef& run) {
    if (run.empty()) return;
    if (!hidden_.erase(run)) hidden_.insert(run);
    requestSeries();
    showDetails();
}

void WatchPage::hideOthers() {
    const RunRef kept = listedRun();
    bool any = false;
    for (const RunRef& run : drawn())
        if (run != kept) any = hidden_.insert(run).second || any;
    if (!any) hidden_.clear();  // the second time shows them again
    hidden_.erase(kept);
    requestSeries();
    showDetails();
}

void WatchPage::stopComparing(const RunRef& run) {
    auto runs = studio().comparedRuns();
    std::erase(runs, run);
    studio().setComparedRuns(std::move(runs));
}

}  // namespace heddle::ui
