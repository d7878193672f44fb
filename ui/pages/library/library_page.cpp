// SPDX-License-Identifier: GPL-3.0-or-later
// What the page shows and when it reads; databases are in library_databases.cpp, actions on runs in library_actions.cpp.
#include "ui/pages/library/library_page.h"

#include "storage/run_query.h"
#include "storage/run_store.h"
#include "ui/pages/library/run_panel.h"
#include "ui/pages/library/words.h"
#include "ui/text/number.h"
#include "ui/text/units.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"
#include "ui/threads/background.h"
#include "ui/widgets/column_fit.h"
#include "ui/widgets/settings_dialog.h"
#include "ui/widgets/small_parts.h"

#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <utility>

namespace heddle::ui {
namespace {

constexpr int kSlowMs = 20000;  ///< the report reads the whole file
const QString kHeader = QStringLiteral("library/columns"), kWidths = QStringLiteral("library/dragged");

}  // namespace

LibraryPage::LibraryPage(Studio& studio)
    : Page(studio, PageId::Library, QStringLiteral("library")),
      runs_(new RunPanel(this)),
      databases_(new DatabaseListModel(this)),
      databaseView_(new QListView(this)),
      details_(new DetailsPanel(this)),
      report_([this] { refreshReport(); }),
      databasesRefresh_([this] { refreshDatabases(); }),
      run_(new Query(
          studio.databases(), [this] { return runRequest(); },
          [this](const Problem& problem) {
              details_->showRun({});
              this->studio().report(problem);
          },
          this)) {
    setCentralWidget(runs_);
    buildActions();
    buildDocks();
    connectPanels();
    connectStudio();
    slowTimer_.setTimerType(Qt::VeryCoarseTimer);
    slowTimer_.setInterval(kSlowMs);
    connect(&slowTimer_, &QTimer::timeout, this, [this] {
        if (std::exchange(grown_, false)) report_.request();
    });
    progressTimer_.setInterval(100);
    connect(&progressTimer_, &QTimer::timeout, this, [this] {
        if (job_) details_->showProgress(job_->done, std::max(1, job_->total.load()));
    });
    setEmptyText();
    updateActions();
    rememberLayout();
}

LibraryPage::~LibraryPage() {
    if (job_) job_->cancelled = true;
}

void LibraryPage::buildDocks() {
    databaseView_->setModel(databases_);
    auto* delegate = new DatabaseDelegate(databaseView_);
    databaseView_->setItemDelegate(delegate);
    connect(delegate, &DatabaseDelegate::locateClicked, locate_, &QAction::trigger, Qt::QueuedConnection);
    connect(delegate, &DatabaseDelegate::forgetClicked, removeFromList_, &QAction::trigger, Qt::QueuedConnection);
    databaseView_->setFrameShape(QFrame::NoFrame);
    databaseView_->setAccessibleName(tr("Databases"));
    databaseView_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    databaseView_->setMouseTracking(true);
    auto* left = new QWidget(this);
    QVBoxLayout* column = makeColumn(left);
    column->addWidget(databaseView_, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(px(8), px(6), px(8), px(6));
    buttons->setSpacing(px(8));
    for (QAction* action : {open_, create_}) {
        auto* button = new QPushButton(action->icon(), action->iconText(), left);
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    column->addLayout(buttons);
    QDockWidget* list = makeDock(QStringLiteral("databases"), tr("Databases"), left);
    detailsDock_ = makeDock(QStringLiteral("details"), tr("Database"), details_);
    addDockWidget(Qt::LeftDockWidgetArea, list);
    addDockWidget(Qt::RightDockWidgetArea, detailsDock_);
    resizeDocks({list, detailsDock_}, {px(200), px(272)}, Qt::Horizontal);
}

void LibraryPage::connectPanels() {
    connect(databaseView_, &QListView::doubleClicked, this, [this] { openChosen(); });
    connect(databaseView_->selectionModel(), &QItemSelectionModel::currentChanged, this, &LibraryPage::updateActions);
    connect(runs_, &RunPanel::failed, this, [this](const Problem& problem) { studio().report(problem); });
    connect(runs_, &RunPanel::selectionChanged, this, [this] {
        // The keyboard begins in the rows, once there are some.
        if (shown_ && runs_->model().rowCount() > 0 && !std::exchange(entered_, true))
            runs_->table().setFocus(Qt::OtherFocusReason);
        updateActions();
        run_->request();
    });
    connect(runs_, &RunPanel::viewChanged, this, &LibraryPage::updateActions);
    connect(runs_, &RunPanel::activated, watch_, &QAction::trigger);
    connect(&runs_->model(), &RunListModel::renamed, this, &LibraryPage::renameRun);
    connect(&runs_->model(), &RunListModel::tagged, this, &LibraryPage::tagRun);
    connect(details_, &DetailsPanel::noteEntered, this, [this](const QString& words) {
        const std::string run = runs_->current();
        if (!run.empty())
            studio().commander().edit(studio().databases().currentNumber(), AnnotateRun{run, words.toStdString()},
                                      [this] { run_->request(); });
    });
    connect(details_, &DetailsPanel::verifyRequested, this, &LibraryPage::startVerify);
    connect(details_, &DetailsPanel::cancelRequested, this, [this] {
        if (job_) job_->cancelled = true;
    });
}

void LibraryPage::connectStudio() {
    const auto orders = [this] {
        runs_->model().setOrders([this](const std::string& hash) { return this->studio().orderOf(hash); });
    };
    orders();
    connect(&studio(), &Studio::stylesChanged, this, orders);
    Databases& databases = studio().databases();
    for (const auto news : {&Databases::runsChanged, &Databases::progressed})
        connect(&databases, news, this, [this] {
            stale_ = true;
            if (shown_) takeRuns();
        });
    connect(&studio().verbs(), &PendingVerbs::changed, this, &LibraryPage::showPending);
    connect(&databases, &Databases::currentChanged, this, [this] {
        edits_.clear();
        runs_->forget();
        scores_.clear();
        if (job_) job_->cancelled = true;
        stale_ = true;
        if (shown_) refreshAll();
    });
    connect(&databases, &Databases::opened, this, [this](int number) {
        addRecentDatabase(this->studio().settings(), this->studio().databases().find(number)->file());
        databasesRefresh_.request();
    });
    connect(&databases, &Databases::closed, this, [this] { databasesRefresh_.request(); });
    connect(&databases, &Databases::changed, this, [this] { grown_ = true; });
    connect(&databases, &Databases::failed, this, &LibraryPage::setEmptyText);
}

/// Shows pending verbs ("Pausing…") in the place of states.
void LibraryPage::showPending() {
    std::map<std::string, QString> words;
    if (const RunDatabase* current = studio().databases().current())
        for (const Run& run : current->runs())
            if (studio().verbs().of(run.ref)) words[run.id] = studio().stateWord(run);
    runs_->model().setPending(std::move(words));
}

void LibraryPage::setShown(bool shown) {
    shown_ = shown;
    if (!shown) return slowTimer_.stop();
    slowTimer_.start();
    refreshAll();
}

void LibraryPage::refreshAll() {
    setEmptyText();
    takeRuns();
    readVerified();
    report_.request();
}

void LibraryPage::setEmptyText() {
    runs_->setEmptyText(
        studio().databases().currentFile().isEmpty()
            ? tr("<b>No database is open</b><br>Open one at the left, or make a new one: it is a single file.")
            : tr("<b>No runs in this database yet</b><br>A run appears here as soon as it is queued, from Compose or "
                 "from <code>heddle train</code>."));
}

void LibraryPage::takeRuns() {
    stale_ = false;
    const RunDatabase* current = studio().databases().current();
    runs_->setRuns(current ? current->runs() : std::vector<Run>(), current ? current->trashedRuns() : std::vector<Run>());
    databasesRefresh_.request();
    run_->request();
    updateActions();
}

void LibraryPage::refreshDatabases() {
    QList<DatabaseEntry> open;
    QStringList files;
    const Databases& databases = studio().databases();
    for (const RunDatabase* one : databases.all()) {
        if (!one->isOpen()) continue;
        const QString runs = tr("%Ln run(s)", nullptr, int(one->runs().size()));
        const bool isCurrent = one == databases.current(), isAlone = databases.all().size() == 1;
        const auto kind = isCurrent ? DatabaseEntry::Kind::Current : DatabaseEntry::Kind::Open;
        open << DatabaseEntry{kind, one->name(), one->file(), isCurrent && !isAlone ? tr("current, %1").arg(runs) : runs};
        files << one->file();
    }
    inBackground(
        this, [files, recent = recentDatabases(studio().settings())] { return std::pair(factsOf(files), factsOf(recent)); },
        [this, open](const std::pair<QList<DatabaseFacts>, QList<DatabaseFacts>>& facts) {
            showDatabases(open, facts.first, facts.second);
            databasesRefresh_.done();
        },
        [this](const Problem& problem) {
            databasesRefresh_.done();
            studio().report(problem);
        });
}

void LibraryPage::showDatabases(QList<DatabaseEntry> open, const QList<DatabaseFacts>& ofOpen,
                                const QList<DatabaseFacts>& recent) {
    for (qsizetype i = 0; i < open.size(); ++i) open[i].note = tr("%1, %2").arg(open[i].note, byteSize(ofOpen[i].bytes));
    const QString chosen = chosenFile();
    databases_->setEntries(databaseEntries(open, recent));
    const int current = databases_->rowOf(studio().databases().currentFile()), kept = databases_->rowOf(chosen);
    const int row = kept >= 0 ? kept : current;
    if (row >= 0) databaseView_->setCurrentIndex(databases_->index(row));
    updateActions();
}

/// Reads the scores of runs that changed since they were read for `known`, and keeps the others.
LibraryPage::Scores LibraryPage::readScores(const std::string& file, const Scores& known) {
    Scores scores;
    const auto query = storage::RunQuery::open(file);
    for (const auto& run : query->runs()) {
        const auto before = known.find(run.id);
        const bool isSame = before != known.end() && before->second.first == run.rev;
        scores[run.id] = isSame ? before->second : std::pair(run.rev, scoresOf(query->evaluations(run.id)));
    }
    return scores;
}

/// Reads the report on the file, the sizes of the runs' folders and the scores.
void LibraryPage::refreshReport() {
    const QString file = studio().databases().currentFile();
    const RunDatabase* current = studio().databases().current();
    detailsDock_->setWindowTitle(!current ? tr("Database") : tr("Database · %1").arg(current->name()));
    if (file.isEmpty()) {
        details_->showDatabase({});
        return report_.done();
    }
    struct Answer {
        storage::DatabaseReport report;
        std::map<std::string, qint64> sizes;
        Scores scores;
    };
    inBackground(
        this,
        [file, known = scores_] {
            return Answer{storage::reportOn(file.toStdString()),
                          folderSizes(QString::fromStdString(storage::artifactFolder(file.toStdString()))),
                          readScores(file.toStdString(), known)};
        },
        [this, file](Answer answer) {
            report_.done();
            if (file != studio().databases().currentFile()) return report_.request();
            DetailsPanel::DatabaseShown shown;
            shown.file = file;
            for (const auto& [run, bytes] : answer.sizes) shown.artifactBytes += bytes;
            for (const Run& run : studio().databases().current()->runs()) ++shown.states[run.state];
            shown.mine = answer.report.owner.isThisProcess();
            shown.report = std::move(answer.report);
            details_->showDatabase(shown);
            runs_->setSizes(std::move(answer.sizes));
            std::map<std::string, RunScores> scores;
            for (const auto& [run, known] : answer.scores) scores[run] = known.second;
            runs_->setScores(std::move(scores));
            scores_ = std::move(answer.scores);
        },
        [this](const Problem& problem) {
            report_.done();
            studio().report(problem);
        });
}

Query::Request LibraryPage::runRequest() {
    const std::string run = runs_->current();
    const int database = studio().databases().currentNumber();
    if (run.empty() || database == 0) {
        details_->showRun({});
        return {};
    }
    return {database, [this, run](storage::RunQuery& query) -> Query::Apply {
                return [this, facts = runFactsOf(query, run)] { details_->showRun(facts); };
            }};
}

bool LibraryPage::isSettled() const {
    return exports_ == 0 && report_.isIdle() && databasesRefresh_.isIdle() && runs_->isSettled() &&
           (studio().databases().currentFile().isEmpty() || !stale_);
}

void LibraryPage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    settings.setValue(kHeader, runs_->table().header()->saveState());
    settings.setValue(kWidths, runs_->columns().dragged());
}

void LibraryPage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    if (const QByteArray state = settings.value(kHeader).toByteArray(); !state.isEmpty())
        runs_->table().header()->restoreState(state);
    runs_->columns().setDragged(settings.value(kWidths).toMap());
}

}  // namespace heddle::ui
