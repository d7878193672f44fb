// SPDX-License-Identifier: GPL-3.0-or-later
// How the page is put together.
#include "ui/pages/first_run.h"
#include "ui/pages/watch/card_choice.h"
#include "ui/pages/watch/legend_row.h"
#include "ui/pages/watch/queue_delegate.h"
#include "ui/pages/watch/watch_bar.h"
#include "ui/pages/watch/watch_page.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/log_view.h"
#include "ui/panels/sample_view.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sparsity_panel.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QBoxLayout>
#include <QDataStream>
#include <QDockWidget>
#include <QListView>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>

#include <limits>

namespace heddle::ui {
namespace {

constexpr auto kStream = QDataStream::Qt_6_0;  // of the stored arrangement, whichever Qt reads it

}  // namespace

using namespace watch;

void WatchPage::buildMiddle() {
    Databases& databases = studio().databases();
    loss_ = new CurvePanel(tr("Loss"), this);
    accuracy_ = new CurvePanel(tr("Accuracy"), this);
    attention_ = new AttentionPanel(databases, this);
    gates_ = new GatesPanel(databases, this);
    sparsity_ = new SparsityPanel(databases, this);
    cards_.setPanels({loss_, accuracy_, attention_, gates_, sparsity_});
    const QStringList keys{QStringLiteral("loss"), QStringLiteral("accuracy"), QStringLiteral("attention"),
                           QStringLiteral("gates"), QStringLiteral("sparsity")};
    for (qsizetype i = 0; i < keys.size(); ++i) cards_.panels()[i]->setObjectName(keys[i]);
    choice_ = new CardChoice(cards_.panels(), this);
    loss_->plot().setValueFit(ValueFit::Robust);
    accuracy_->plot().setDecimals(2);
    accuracy_->plot().setValueBounds(0, 100);
    loss_->plot().setValueBounds(0, std::numeric_limits<double>::infinity());
    legend_ = new LegendRow(this);
    scrub_ = new ScrubBar(this);
    strip_ = new MessageStrip(this);

    upper_ = new QSplitter(Qt::Horizontal, this);
    upper_->addWidget(loss_);
    upper_->addWidget(accuracy_);
    upperBox_ = new QWidget(this);
    QVBoxLayout* upperColumn = makeColumn(upperBox_);
    upperColumn->addWidget(upper_, 1);
    upperColumn->addWidget(legend_);
    lower_ = new QSplitter(Qt::Horizontal, this);
    for (Panel* card : {static_cast<Panel*>(attention_), static_cast<Panel*>(gates_), static_cast<Panel*>(sparsity_)})
        lower_->addWidget(card);
    upper_->setSizes({px(560), px(560)});
    lower_->setSizes({px(440), px(480), px(202)});
    both_ = new QSplitter(Qt::Vertical, this);
    both_->addWidget(upperBox_);
    both_->addWidget(lower_);
    both_->setSizes({px(360), px(400)});
    for (QSplitter* splitter : {upper_, lower_, both_}) splitter->setChildrenCollapsible(false);

    auto* content = new QWidget(this);
    QVBoxLayout* column = makeColumn(content);
    column->addWidget(strip_);
    column->addWidget(both_, 1);
    column->addWidget(choice_);
    column->addWidget(scrub_);
    stack_ = new QStackedWidget(this);
    stack_->addWidget(makeFirstRunCard(studio(), this));
    stack_->addWidget(content);
    setCentralWidget(stack_);
    connect(strip_, &MessageStrip::closed, this, [this] { closedStrip_ = stripKey_; });
    connect(&cards_, &PanelGroup::expandedChanged, this, &WatchPage::arrangeCards);
    connect(choice_, &CardChoice::changed, this, &WatchPage::arrangeCards);
    connect(&cards_, &PanelGroup::failed, this, [this](const Problem& problem) { studio().report(problem); });
}

void WatchPage::buildDocks() {
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    const auto dock = [this](const char* name, const QString& title, QWidget* body) {
        QDockWidget* made = makeDock(QString::fromLatin1(name), title, body);
        addDockWidget(Qt::LeftDockWidgetArea, made);
        return made;
    };
    buildQueue();
    QDockWidget* queue = dock("watch_queue", tr("Queue"), queueView_);
    QDockWidget* curves = dock("watch_curves", tr("Curves"), buildCurvesList());

    logView_ = new LogView(this);
    logView_->setModel(&log_);
    samples_ = new SampleView(studio().databases(), this);
    throughput_ = new CurvePlot(this);
    throughput_->setAccessibleName(tr("Throughput"));
    throughput_->setDecimals(0);
    throughput_->setValueTitle(tr("tokens/s"), CurvePlot::TitlePlace::Axis);
    tabs_ = new QTabWidget(this);
    tabs_->setDocumentMode(true);
    tabs_->addTab(logView_, tr("Log"));
    tabs_->addTab(throughput_, tr("Throughput"));
    tabs_->addTab(samples_, tr("Samples"));
    QDockWidget* details = dock("watch_details", tr("Details"), tabs_);
    details->setTitleBarWidget(new QWidget(details));  // its tabs say enough
    for (QAbstractItemView* view :
         {static_cast<QAbstractItemView*>(queueView_), static_cast<QAbstractItemView*>(curvesView_)}) {
        view->setFrameShape(QFrame::NoFrame);
        view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        view->setMouseTracking(true);
        view->setMinimumHeight(px(60));
    }
    resizeDocks({queue, curves, details}, {px(300), px(200), px(190)}, Qt::Vertical);
    resizeDocks({queue}, {px(252)}, Qt::Horizontal);
    addLayoutBox(*bar_);
}

void WatchPage::buildQueue() {
    queueView_ = new QListView(this);
    queueView_->setModel(&queue_);
    auto* delegate = new QueueDelegate(queueView_);
    queueView_->setItemDelegate(delegate);
    queueView_->setAccessibleName(tr("Queue"));
    queueView_->setMinimumWidth(px(160));  // a name, its steps and time
    connect(delegate, &QueueDelegate::verbClicked, this, [this](const QString& key) {
        const RunRef run = RunRef::fromKey(key);
        const Run* record = studio().databases().run(run);
        if (!record) return;
        if (record->state == heddle::name(RunState::Paused)) return studio().verbs().carryOut(run, RunVerb::Resume);
        if (record->state == heddle::name(RunState::Interrupted)) return studio().verbs().carryOut(run, RunVerb::Start);
        auto runs = studio().comparedRuns();
        runs.push_back(run);
        studio().setComparedRuns(std::move(runs));
    });
    queueView_->setDragDropMode(QAbstractItemView::InternalMove);
    queueView_->setDefaultDropAction(Qt::MoveAction);
    queueView_->setDragDropOverwriteMode(false);
    connect(&queue_, &QueueModel::moveRequested, this, [this](const RunRef& run, int by) {
        studio().commander().edit(run.database, MoveRun{run.id, by});
    });
    const auto choose = [this](const QModelIndex& index) {
        const RunRef run = RunRef::fromKey(index.data(QueueModel::RunRole).toString());
        if (!run.empty()) chooseByHand(run);
    };
    connect(queueView_->selectionModel(), &QItemSelectionModel::currentChanged, this, choose);
}

QWidget* WatchPage::buildCurvesList() {
    auto* box = new QWidget(this);
    QVBoxLayout* column = makeColumn(box);
    curvesCaption_ = new ElidedLabel(box);
    setCaption(*curvesCaption_);
    curvesCaption_->setContentsMargins(px(8), 0, px(8), 0);
    curvesCaption_->setFixedHeight(px(22));
    curvesView_ = new QListView(box);
    curvesView_->setModel(&curves_);
    curvesView_->setItemDelegate(new CurvesDelegate(curvesView_));
    curvesView_->setAccessibleName(tr("Curves drawn"));
    curvesView_->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(&curves_, &CurvesModel::eyeClicked, this, &WatchPage::toggleHidden);
    column->addWidget(curvesCaption_);
    column->addWidget(curvesView_, 1);
    return box;
}

QByteArray WatchPage::arrangement() const {
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream.setVersion(kStream);
    stream << Page::arrangement() << upper_->saveState() << lower_->saveState() << both_->saveState();
    const CardChoice::Choice cards = choice_->choice();
    stream << cards.hidden << cards.opened;
    return bytes;
}

void WatchPage::arrange(const QByteArray& arrangement) {
    QByteArray docks, upper, lower, both;
    QDataStream stream(arrangement);
    stream.setVersion(kStream);
    stream >> docks >> upper >> lower >> both;
    if (stream.status() != QDataStream::Ok) return;
    Page::arrange(docks);
    upper_->restoreState(upper);
    lower_->restoreState(lower);
    both_->restoreState(both);
    CardChoice::Choice cards;
    stream >> cards.hidden >> cards.opened;
    if (stream.status() == QDataStream::Ok) choice_->choose(cards);  // older arrangements say nothing of cards
}

/// Shows one card alone, or all that are chosen and not folded.
void WatchPage::arrangeCards() {
    const Panel* const alone = cards_.expanded();
    const auto isShown = [&](const Panel* card) { return alone ? card == alone : choice_->isShown(card); };
    for (Panel* card : cards_.panels()) card->setVisible(isShown(card));
    upperBox_->setVisible(isShown(loss_) || isShown(accuracy_));
    lower_->setVisible(isShown(attention_) || isShown(gates_) || isShown(sparsity_));
    choice_->setVisible(!alone && choice_->hasFolded());
    leaveFullSize_->setEnabled(alone);
}

}  // namespace heddle::ui
