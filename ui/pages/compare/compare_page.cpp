// SPDX-License-Identifier: GPL-3.0-or-later
// What the page shows and when it asks; its controls are built in compare_build.cpp, its actions are in compare_actions.cpp,
// what the ticked runs show is in compare_ticked.cpp.
#include "ui/pages/compare/compare_page.h"

#include "storage/run_query.h"
#include "ui/data/run_actions.h"
#include "ui/pages/compare/columns.h"
#include "ui/pages/compare/curves_panel.h"
#include "ui/pages/compare/filter_line.h"
#include "ui/pages/compare/run_table_panel.h"
#include "ui/pages/first_run.h"
#include "ui/text/number.h"
#include "ui/widgets/column_fit.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

constexpr std::size_t kRunsAtOnce = 200;  ///< so that other views get their turn between

const QString kColumns = QStringLiteral("compare/columns"), kGrouping = QStringLiteral("compare/grouping"),
              kSort = QStringLiteral("compare/sort"), kOrder = QStringLiteral("compare/descending"),
              kMetric = QStringLiteral("compare/metric"), kOutliers = QStringLiteral("compare/ignore_outliers"),
              kWidths = QStringLiteral("compare/dragged"), kRuns = QStringLiteral("compare/runs"),
              kRunsOf = QStringLiteral("compare/runsOf");

}  // namespace

ComparePage::ComparePage(Studio& studio)
    : Page(studio, PageId::Compare, QStringLiteral("compare")),
      reader_(std::make_shared<FactsReader>()),
      reading_(new Query(
          studio.databases(), [this] { return factsRequest(); },
          [this](const Problem& problem) {
              if (told_.isNew(QString::number(asked_), problem)) this->studio().report(problem);
              if (!due_.empty()) reading_->request();
          },
          this)) {
    onRuns_ = new RunActions(studio, this);
    table_ = new RunTablePanel(this);
    table_->setWhereNoRuns(makeFirstRunCard(studio, this, tr("A run appears here as a row as soon as it is queued.")));
    buildToolBar();
    buildDocks();
    buildActions();
    connectStudio();
    startAnew();
    updateActions();
    showCounts();
    showTicked();
    rememberLayout();
}

void ComparePage::connectStudio() {
    const auto recolour = [this] {
        table_->model().setColours(
            {[this](const std::string& hash) { return this->studio().orderOf(hash); }, this->studio().baseline()});
        mayChoose_ |= table_->options().baseline != this->studio().baseline();
        table_->setBaseline(this->studio().baseline());
    };
    recolour();
    connect(&studio(), &Studio::stylesChanged, this, [this, recolour] {
        recolour();
        showTicked();
    });
    connect(&studio(), &Studio::compareRequested, this, [this](const std::vector<RunRef>& runs) {
        auto all = chosen_ ? ticked_ : std::vector<RunRef>();
        for (const RunRef& run : runs)
            if (std::find(all.begin(), all.end(), run) == all.end()) all.push_back(run);
        setTicked(std::move(all));
    });
    // Labels contain the database while several are open: all is read again when one is opened or closed.
    for (const auto news : {&Databases::opened, &Databases::closed})
        connect(&studio().databases(), news, this, [this] {
            startAnew();
            if (shown_) reading_->request();
        });
    connect(&studio().databases(), &Databases::changed, this, [this](int database) {
        due_.insert(database);
        if (shown_) reading_->request();
    });
    const auto report = [this](const Problem& problem) { studio().report(problem); };
    connect(table_, &RunTablePanel::failed, this, report);
    connect(&table_->model(), &RunTableModel::checkedByUser, this, &ComparePage::setTicked);
    connect(table_, &RunTablePanel::arranged, this, [this] {
        showCounts();
        chooseTicks();
        updateActions();
        // The keyboard begins in the rows, once there are some.
        if (shown_ && table_->model().rowCount() > 0 && !std::exchange(entered_, true))
            table_->view().setFocus(Qt::OtherFocusReason);
    });
    connect(table_, &RunTablePanel::selectionChanged, this, &ComparePage::updateActions);
    connect(table_, &RunTablePanel::selectionChanged, this, &ComparePage::lightCurves);
    connect(table_, &RunTablePanel::activated, watch_, &QAction::trigger);
    connect(curves_, &CurvesPanel::captionChanged, this, [this] {
        const QString caption = curves_->caption();
        curvesDock_->setWindowTitle(caption.isEmpty() ? tr("Curves") : tr("Curves · %1").arg(caption));
    });
}

/// Reads all databases from the beginning.
void ComparePage::startAnew() {
    reader_ = std::make_shared<FactsReader>();  // a reading that is under way keeps the old one, and its answer is dropped
    mayChoose_ = true;
    std::erase_if(ticked_, [this](const RunRef& run) { return !studio().databases().find(run.database); });
    chosen_ = chosen_ && !ticked_.empty();
    due_.clear();
    for (const RunDatabase* database : studio().databases().all()) due_.insert(database->number());
    table_->setTable(std::make_shared<RunTable>());
    reading_->drop();
}

void ComparePage::setShown(bool shown) {
    shown_ = shown;
    if (!shown) return;
    mayChoose_ = true;
    if (due_.empty()) return chooseTicks();
    reading_->request();
}

Query::Request ComparePage::factsRequest() {
    if (due_.empty()) return {};
    const int number = *due_.begin();
    due_.erase(number);
    asked_ = number;
    const RunDatabase* database = studio().databases().find(number);
    if (!database || !database->isOpen()) return due_.empty() ? Query::Request() : factsRequest();
    const FactsReader::Source source{number, studio().databases().all().size() > 1 ? database->name() : QString()};
    return {number, [this, reader = reader_, source](storage::RunQuery& query) -> Query::Apply {
                return [this, reader, source, answer = reader->read(query, source, kRunsAtOnce)] {
                    told_.succeeded(QString::number(source.database));
                    if (!answer.isWhole) due_.insert(source.database);
                    takeTable(answer.table);
                    if (!due_.empty()) reading_->request();
                };
            }};
}

void ComparePage::takeTable(std::shared_ptr<const RunTable> table) {
    filter_->setTable(*table);
    table_->setTable(std::move(table));
    showTicked();
}

/// Without a choice of the user's, once all runs are read: the runs of the stored session, else the newest group and its
/// baseline.
void ComparePage::chooseTicks() {
    const auto& table = table_->table();
    const bool isWhole = due_.empty() && std::int64_t(table->runs.size()) >= table->total;
    if (chosen_ || !mayChoose_ || table->runs.empty() || !isWhole) return;
    mayChoose_ = false;
    std::vector<RunRef> runs;
    if (studio().settings().value(kRunsOf).toString() == studio().databases().currentFile())
        for (const auto& id : studio().settings().value(kRuns).toStringList()) {
            const RunRef run(studio().databases().currentNumber(), id.toStdString());
            const auto isThis = [&](const auto& facts) { return facts->record.ref == run; };
            if (std::any_of(table->runs.begin(), table->runs.end(), isThis)) runs.push_back(run);
        }
    if (!runs.empty()) return setTicked(std::move(runs));
    tick(newestAndBaseline(*table, studio().baseline()));
}

void ComparePage::showCounts() {
    const auto& shown = *table_->model().arrangement();
    const auto& table = *table_->table();
    const auto read = std::int64_t(table.runs.size());
    counts_->setText(read < table.total   ? tr("%1 of %Ln run(s) read", nullptr, int(table.total)).arg(count(read))
                     : shown.shown < read ? tr("%1 of %Ln run(s)", nullptr, int(read)).arg(count(shown.shown))
                                          : tr("%Ln run(s)", nullptr, int(read)));
    const auto& error = table_->filterError();
    filter_->setProblem(error);
    problemRow_->setVisible(error.has_value());
    if (!error) return;
    problem_->setText(error->what);
    suggestion_->setVisible(!error->suggestion.isEmpty());
    suggestion_->setText(tr("Did you mean “%1”?").arg(error->suggestion));
}

bool ComparePage::isSettled() const {
    return reading_->isIdle() && due_.empty() && !comparing_ && table_->isSettled() && curves_->isSettled();
}

void ComparePage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    QStringList columns, runs;
    for (const auto& column : table_->options().columns) columns << column.id();
    for (const RunRef& run : ticked_)
        if (chosen_ && run.database == studio().databases().currentNumber()) runs << QString::fromStdString(run.id);
    settings.setValue(kColumns, columns);
    settings.setValue(kGrouping, table_->options().grouping == Grouping::Settings);
    settings.setValue(kSort, table_->options().sortColumn);
    settings.setValue(kOrder, table_->options().order == Qt::DescendingOrder);
    settings.setValue(kMetric, curves_->metric().id());
    settings.setValue(kOutliers, ignoreOutliers_->isChecked());
    settings.setValue(kWidths, table_->columns().dragged());
    settings.setValue(kRuns, runs);
    settings.setValue(kRunsOf, studio().databases().currentFile());
}

void ComparePage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    std::vector<Column> columns;
    for (const auto& id : settings.value(kColumns).toStringList())
        if (const auto column = Column::fromId(id)) columns.push_back(*column);
    if (!columns.empty()) table_->setColumns(columns);
    const bool grouped = settings.value(kGrouping, true).toBool();
    grouping_->setCurrentIndex(grouped ? 0 : 1);
    table_->setGrouping(grouped ? Grouping::Settings : Grouping::None);
    table_->setSort(settings.value(kSort, 0).toInt(),
                    settings.value(kOrder, false).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
    table_->columns().setDragged(settings.value(kWidths).toMap());
    if (const QString metric = settings.value(kMetric).toString(); !metric.isEmpty())
        curves_->setMetric(CurveMetric::fromId(metric));
    ignoreOutliers_->setChecked(settings.value(kOutliers, true).toBool());
}

}  // namespace heddle::ui
