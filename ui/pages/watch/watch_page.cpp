// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/watch_page.h"

#include "ui/pages/first_run.h"
#include "ui/pages/watch/cards.h"
#include "ui/pages/watch/curve_list.h"
#include "ui/pages/watch/run_queue.h"
#include "ui/pages/watch/state_strip.h"
#include "ui/pages/watch/system_panel.h"
#include "ui/pages/watch/watch_bar.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/log_view.h"
#include "ui/panels/sample_view.h"
#include "ui/panels/scrub_bar.h"
#include "ui/text/number.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QBoxLayout>
#include <QDataStream>
#include <QDockWidget>
#include <QListWidget>
#include <QStackedWidget>
#include <QTabWidget>

#include <utility>

namespace heddle::ui {

using namespace watch;
namespace {

constexpr auto kStream = QDataStream::Qt_6_0;  // the format of stored arrangements, also with later versions of Qt

}  // namespace

WatchPage::WatchPage(Studio& studio)
    : Page(studio, PageId::Watch, QStringLiteral("watch")),
      details_(studio.databases(), this),
      onRuns_(new RunActions(studio, this)),
      bar_(new WatchBar(studio, *onRuns_, this)),
      strip_(new StateStrip(studio, *onRuns_, this)),
      cards_(new Cards(studio, details_, *bar_, this)),
      scrub_(new ScrubBar(this)),
      stack_(new QStackedWidget(this)) {
    addToolBar(bar_);
    auto* content = new QWidget(this);
    QVBoxLayout* column = makeColumn(content);
    column->addWidget(strip_);
    column->addWidget(cards_, 1);
    column->addWidget(scrub_);
    stack_->addWidget(makeFirstRunCard(studio, this));
    stack_->addWidget(content);
    setCentralWidget(stack_);
    buildDocks();
    buildActions();
    connectAll();
    rememberLayout();
    refresh();
}

void WatchPage::buildDocks() {
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    const auto dock = [this](const char* name, const QString& title, QWidget* body) {
        QDockWidget* made = makeDock(QString::fromLatin1(name), title, body);
        addDockWidget(Qt::LeftDockWidgetArea, made);
        return made;
    };
    queue_ = new RunQueue(studio(), this);
    list_ = new CurveList(studio(), details_, this);
    log_ = new LogView(this);
    samples_ = new SampleView(studio().databases(), this);
    tabs_ = new QTabWidget(this);
    tabs_->setDocumentMode(true);
    tabs_->setUsesScrollButtons(false);  // elide the titles rather than hide one
    tabs_->setElideMode(Qt::ElideRight);
    tabs_->addTab(log_, tr("Log"));
    tabs_->addTab(&cards_->curves().throughput(), tr("Speed"));
    tabs_->addTab(&cards_->curves().system(), tr("System"));
    tabs_->addTab(samples_, tr("Samples"));
    for (int tab = 0; tab < tabs_->count(); ++tab) tabs_->setTabToolTip(tab, tabs_->tabText(tab));
    QDockWidget* queue = dock("watch_queue", tr("Queue"), queue_);
    QDockWidget* curves = dock("watch_curves", tr("Curves"), list_);
    QDockWidget* details = dock("watch_details", tr("Details"), tabs_);
    details->setTitleBarWidget(new QWidget(details));  // its tabs have the titles
    resizeDocks({queue, curves, details}, {px(300), px(200), px(190)}, Qt::Vertical);
    resizeDocks({queue}, {px(252)}, Qt::Horizontal);
    addLayoutBox(*bar_);
}

/// By menu and keyboard; single letters work while a plot or a list has the focus.
void WatchPage::buildActions() {
    RunCurves& curves = cards_->curves();
    const QList<QWidget*> all =
        cards_->group().plots() +
        QList<QWidget*>{
            queue_, &list_->view(), log_, &scrub_->scrubber(), &curves.throughput().plot(), &curves.system().plot()};
    bar_->storeChoices(choices_);
    choices_.add(QStringLiteral("watch/whole_plan"), *curves.wholePlan());
    choices_.add(QStringLiteral("watch/ignore_outliers"), *cards_->ignoreOutliers());
    bar_->logAction()->setShortcut(Qt::Key_Y);
    bar_->linkAction()->setShortcut(Qt::Key_L);
    onRuns_->pauseOrResume().setShortcut(Qt::Key_Space);
    viewActions_.append(bar_->followAction());
    add(viewActions_, bar_->logAction(), all);
    viewActions_.append({curves.wholePlan(), cards_->ignoreOutliers()});
    add(viewActions_, {"nextAxis", tr("Switch x-axis"), {}, Qt::Key_X}, all, [this] { bar_->nextAxis(); });
    add(viewActions_, {"focusSmoothing", tr("Adjust smoothing"), {}, Qt::Key_S}, all, [this] { bar_->focusSmoothing(); });
    add(viewActions_, bar_->linkAction(), all);
    add(viewActions_, {"resetZoom", tr("Reset zoom"), {}, Qt::Key_R}, all, [&curves] { curves.resetZoom(); });
    add(viewActions_, list_->hideOne(), all);
    add(viewActions_, list_->hideOthers(), all);
    add(viewActions_, list_->stopComparing(), {&list_->view()});
    buildSnapshotActions(all);
    addPlotActions(cards_->group());
    add(runActions_, &onRuns_->pauseOrResume(), all);
    runActions_.append({&onRuns_->action(RunVerb::Checkpoint), &onRuns_->action(RunVerb::Stop), queue_->earlier(),
                        queue_->later(), &onRuns_->inspect(), &onRuns_->compare(), &onRuns_->clone(), &onRuns_->fork()});
}

void WatchPage::buildSnapshotActions(const QList<QWidget*>& all) {
    const QList<QWidget*> plots = cards_->group().plots();
    QList<QWidget*> time = plots;
    time.removeIf(
        [](QWidget* plot) { return qobject_cast<MapView*>(plot) != nullptr; });  // in a map, arrow keys move between cells
    add(viewActions_, {"earlierSnapshot", tr("Show earlier snapshot"), {}, Qt::Key_Left}, time,
        [this] { scrub_->goPrevious(); });
    add(viewActions_, {"laterSnapshot", tr("Show later snapshot"), {}, Qt::Key_Right}, time, [this] { scrub_->goNext(); });
    add(viewActions_, {"firstSnapshot", tr("Show first snapshot"), {}, Qt::Key_Home}, plots, [this] { scrub_->goFirst(); });
    add(viewActions_, {"followSnapshots", tr("Follow the newest snapshot"), {}, Qt::Key_End}, plots,
        [this] { scrub_->follow(); });
    add(viewActions_, {"playSnapshots", tr("Play snapshots"), {}, Qt::Key_P}, all, [this] { scrub_->togglePlay(); });
    add(viewActions_, {"previousHead", tr("Show previous head"), {}, Qt::Key_BracketLeft}, all,
        [this] { cards_->attention().nextHead(-1); });
    add(viewActions_, {"nextHead", tr("Show next head"), {}, Qt::Key_BracketRight}, all,
        [this] { cards_->attention().nextHead(1); });
}

QList<QAction*> WatchPage::panelActions() const { return cards_->choices() + Page::panelActions(); }

void WatchPage::connectAll() {
    Databases& databases = studio().databases();
    connect(&databases, &Databases::opened, this, &WatchPage::refresh);
    connect(&databases, &Databases::closed, this, &WatchPage::refresh);
    connect(&databases, &Databases::runsChanged, this, &WatchPage::refresh);
    connect(&databases, &Databases::changed, this, [this] {
        if (!shown_) return;
        cards_->curves().refresh();
        details_.refreshThrottled();
    });
    const auto takeRun = [this] { onRuns_->setRuns({studio().currentRun()}); };
    takeRun();
    connect(&studio(), &Studio::currentRunChanged, this, takeRun);  // also while another page is shown
    connect(&studio(), &Studio::currentRunChanged, this, &WatchPage::refresh);
    connect(&studio(), &Studio::comparedRunsChanged, this, &WatchPage::refresh);
    connect(&studio().colours(), &VariantColours::changed, this, &WatchPage::showDetails);
    connect(&details_, &RunDetails::changed, this, &WatchPage::showDetails);
    connect(&details_, &RunDetails::failed, this, [this](const Problem& problem) { studio().report(problem); });
    connect(scrub_, &ScrubBar::stepChanged, this, &WatchPage::showSubject);
    connect(list_, &CurveList::drawnChanged, this, &WatchPage::showDetails);
    connect(queue_, &RunQueue::runChosen, bar_, &WatchBar::choose);
    connect(strip_, &StateStrip::logRequested, this, [this] {
        tabs_->setCurrentWidget(log_);
        log_->setFocus(Qt::OtherFocusReason);
    });
}

void WatchPage::setShown(bool shown) {
    shown_ = shown;
    if (!shown) return;
    refresh();
    if (!std::exchange(entered_, true)) cards_->curves().loss().plot().setFocus();
}

QByteArray WatchPage::arrangement() const {
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream.setVersion(kStream);
    stream << Page::arrangement();
    cards_->writeArrangement(stream);
    return bytes;
}

void WatchPage::arrange(const QByteArray& arrangement) {
    QByteArray docks;
    QDataStream stream(arrangement);
    stream.setVersion(kStream);
    stream >> docks;
    if (stream.status() != QDataStream::Ok) return;
    Page::arrange(docks);
    cards_->readArrangement(stream);
}

/// The shown runs or the state of a run has changed.
void WatchPage::refresh() {
    if (!shown_) return;
    bar_->chooseRun();
    stack_->setCurrentIndex(studio().databases().runs().empty() ? 0 : 1);
    details_.setRuns(list_->runs());
    details_.refresh();
    showDetails();
    cards_->curves().refresh();
}

/// Shows everything that depends on the details of the runs.
void WatchPage::showDetails() {
    if (!shown_) return;
    const auto detail = details_.of(studio().currentRun());
    scrub_->setDetail(detail.get(), detail ? detail->snapshotSteps : std::vector<int>{});
    log_->setDetail(detail);
    strip_->setDetail(detail);
    cards_->curves().setRuns(list_->drawn());
    showSubject();
}

void WatchPage::showSubject() {
    if (!shown_) return;
    const auto& snapshots = scrub_->scrubber().snapshots();
    const Subject subject = list_->subject(snapshots.empty() ? std::nullopt : std::optional(scrub_->step()));
    cards_->setSubject(subject);
    samples_->setSubject(subject);
    list_->show(subject.step);
    const auto epoch = subject.detail ? subject.detail->epochOf(subject.step) : std::nullopt;
    const QString kept = tr("%1 kept").arg(count(qint64(snapshots.size())));
    scrub_->setNote(epoch ? tr("epoch %1; %2").arg(count(*epoch), kept) : kept);
}

}  // namespace heddle::ui
