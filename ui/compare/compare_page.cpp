// SPDX-License-Identifier: GPL-3.0-or-later
// What the page shows and when it asks; its controls are built in compare_build.cpp, its actions are in compare_actions.cpp.
#include "ui/compare/compare_page.h"

#include "storage/run_query.h"
#include "ui/compare/columns.h"
#include "ui/compare/curves_panel.h"
#include "ui/compare/end_values.h"
#include "ui/compare/filter_line.h"
#include "ui/compare/run_table_panel.h"
#include "ui/compare/spec_differences.h"
#include "ui/compare/value_table.h"
#include "ui/shell/background.h"
#include "ui/shell/number.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTreeView>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace heddle::ui {
namespace {

constexpr std::size_t kRunsAtOnce = 200;  ///< so that other views get their turn between
constexpr std::size_t kFirstTicks = 6;

const QString kColumns = QStringLiteral("compare/columns"), kGrouping = QStringLiteral("compare/grouping"),
              kSort = QStringLiteral("compare/sort"), kOrder = QStringLiteral("compare/descending"),
              kMetric = QStringLiteral("compare/metric"), kWidths = QStringLiteral("compare/widths"),
              kRuns = QStringLiteral("compare/runs"), kRunsOf = QStringLiteral("compare/runsOf");

}  // namespace

ComparePage::ComparePage(Studio& studio)
    : Page(studio, PageId::Compare, QStringLiteral("compare")),
      reader_(std::make_shared<FactsReader>()),
      reading_([this] { startReading(); }) {
    table_ = new RunTablePanel(this);
    setCentralWidget(table_);
    buildToolBar();
    buildDocks();
    buildActions();
    connectStudio();
    table_->model().setChecked(studio.comparedRuns());
    startAnew();
    updateActions();
    showCounts();
    showTicked();
    rememberLayout();
}

QString ComparePage::title() const { return tr("Compare"); }

void ComparePage::connectStudio() {
    const auto looks = [this] {
        table_->model().setLooks(
            {[this](const std::string& hash) { return this->studio().knownOrder(hash); }, this->studio().baseline()});
    };
    looks();
    connect(&studio(), &Studio::stylesChanged, this, [this, looks] {
        looks();
        showTicked();
    });
    connect(&studio(), &Studio::comparedRunsChanged, this, [this] {
        table_->model().setChecked(studio().comparedRuns());
        showTicked();
    });
    connect(&studio().feed(), &Feed::opened, this, [this] {
        startAnew();
        if (shown_) reading_.request();
    });
    // What was asked is not answered any more; the next news asks again.
    connect(&studio().feed(), &Feed::failed, this, [this] {
        busy_ = false;
        reading_ = Refresh([this] { startReading(); });
    });
    connect(&studio().feed(), &Feed::changed, this, [this] {
        stale_ = true;
        if (shown_) reading_.request();
    });
    connect(&table_->model(), &RunTableModel::checkedByUser, this,
            [this](const std::vector<std::string>& runs) { studio().setComparedRuns(runs); });
    connect(table_, &RunTablePanel::arranged, this, [this] {
        showCounts();
        tickFirst();
        updateActions();
        // The keyboard begins in the rows, once there are some.
        if (shown_ && table_->model().rowCount() > 0 && !std::exchange(entered_, true))
            table_->view().setFocus(Qt::OtherFocusReason);
    });
    connect(table_, &RunTablePanel::selectionChanged, this, &ComparePage::updateActions);
    connect(table_, &RunTablePanel::activated, this, &ComparePage::watchCurrent);
    connect(curves_, &CurvesPanel::captionChanged, this, [this] {
        const QString caption = curves_->caption();
        curvesDock_->setWindowTitle(caption.isEmpty() ? tr("Curves") : tr("Curves · %1").arg(caption));
    });
}

/// Another database: nothing of the last one is left.
void ComparePage::startAnew() {
    reader_ = std::make_shared<FactsReader>();
    ticked_ = busy_ = false;
    stale_ = true;
    reading_ = Refresh([this] { startReading(); });
    table_->setEmptyText(
        studio().feed().file().isEmpty()
            ? tr("<b>No database is open</b><br>Open one in the Library, or with File, Open database.")
            : tr("<b>No runs in this database yet</b><br>A run appears here as soon as it is queued, from Compose "
                 "or from <code>heddle train</code>."));
    table_->setTable(std::make_shared<RunTable>());
}

void ComparePage::setShown(bool shown) {
    shown_ = shown;
    if (shown && stale_) reading_.request();
}

void ComparePage::startReading() {
    if (studio().feed().file().isEmpty()) return reading_.done();
    busy_ = true;
    stale_ = false;
    studio().feed().read(
        this, [reader = reader_](storage::RunQuery& query) { return reader->read(query, kRunsAtOnce); },
        [this](std::shared_ptr<const RunTable> table) {
            busy_ = false;
            const bool more = std::int64_t(table->runs.size()) < table->total;
            takeTable(std::move(table));
            reading_.done();
            if (more) reading_.request();
        });
}

void ComparePage::takeTable(std::shared_ptr<const RunTable> table) {
    filter_->setTable(*table);
    table_->setTable(std::move(table));
    showTicked();
}

/// The ticks of the last time; a database that was never compared shows something at once, the newest runs with values.
void ComparePage::tickFirst() {
    const auto& table = table_->table();
    if (ticked_ || table->runs.empty() || std::int64_t(table->runs.size()) < table->total) return;
    ticked_ = true;
    const auto known = [&](const std::string& id) {
        return std::any_of(table->runs.begin(), table->runs.end(), [&](const auto& run) { return run->record.id == id; });
    };
    if (std::any_of(studio().comparedRuns().begin(), studio().comparedRuns().end(), known)) return;
    std::vector<std::string> runs;
    if (studio().settings().value(kRunsOf).toString() == studio().feed().file())
        for (const auto& run : studio().settings().value(kRuns).toStringList())
            if (known(run.toStdString())) runs.push_back(run.toStdString());
    if (!runs.empty()) return studio().setComparedRuns(runs);
    for (auto run = table->runs.rbegin(); run != table->runs.rend() && runs.size() < kFirstTicks; ++run)
        if (!(*run)->metrics.empty()) runs.insert(runs.begin(), (*run)->record.id);
    studio().setComparedRuns(runs);
}

std::vector<RunPointer> ComparePage::tickedRuns() const {
    const std::set<std::string> ticked(studio().comparedRuns().begin(), studio().comparedRuns().end());
    std::vector<RunPointer> runs;
    for (const auto& run : table_->table()->runs)
        if (ticked.count(run->record.id)) runs.push_back(run);
    // The baseline first: the others are read against it. Seeds of a variant together.
    const auto place = [this](const RunPointer& run) {
        const int order = studio().knownOrder(run->record.variantHash);
        return std::tuple(order < 0 ? std::numeric_limits<int>::max() : order, run->record.variantHash, run->record.seed);
    };
    std::stable_sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return runs;
}

void ComparePage::showTicked() {
    const auto runs = tickedRuns();
    std::vector<CurveRequest> requests;
    for (const auto& run : runs)
        requests.push_back({run->record.id, run->record.variantHash, runLabel(run->record),
                            QString::fromStdString(run->record.name), studio().orderOf(run->record.variantHash)});
    if (runs != compared_ || requests != requested_) curves_->setRuns(requests);
    table_->view().viewport()->update();  // variants drawn for the first time have their line now
    requested_ = requests;
    if (runs == compared_ && !runs.empty()) return;
    compared_ = runs;
    comparing_ = true;
    struct Answer {
        Differences differences;
        PlotTable values;
    };
    inBackground(
        this,
        [runs] {
            return Answer{differencesOf(runs), runs.empty() ? PlotTable() : endValuesOf(runs)};
        },
        [this, runs](const Answer& answer) {
            if (runs != compared_) return;
            comparing_ = false;
            const QString tick = tr("Tick two runs or more in the table to see how their specifications differ.");
            differences_->setTable(
                answer.differences.table, ValueTable::Emphasis::Unequal,
                runs.size() < 2 ? tick : tr("The ticked runs have the same specification, but for their seeds."));
            values_->setTable(
                answer.values, ValueTable::Emphasis::None,
                runs.empty() ? tr("Tick runs in the table to see what they came to.") : tr("No ticked run was evaluated yet."));
            const auto n = qint64(answer.differences.table.rows.size());
            differencesDock_->setWindowTitle(
                runs.size() < 2
                    ? tr("Specification, differences")
                    : tr("Specification, differences · %1 of %2 settings").arg(count(n), count(answer.differences.of)));
        });
}

void ComparePage::showCounts() {
    const auto& shown = *table_->model().arrangement();
    const auto& table = *table_->table();
    const auto read = std::int64_t(table.runs.size());
    counts_->setText(read < table.total   ? tr("%1 of %2 runs read").arg(count(read), count(table.total))
                     : shown.shown < read ? tr("%1 of %2 runs").arg(count(shown.shown), count(read))
                                          : tr("%1 runs").arg(count(read)));
    const auto& error = table_->filterError();
    filter_->setProblem(error);
    problemRow_->setVisible(error.has_value());
    if (!error) return;
    problem_->setText(error->what);
    suggestion_->setVisible(!error->suggestion.isEmpty());
    suggestion_->setText(tr("Did you mean “%1”?").arg(error->suggestion));
}

bool ComparePage::isSettled() const {
    const bool read = studio().feed().file().isEmpty() || (!busy_ && !stale_);
    return read && !comparing_ && table_->isSettled() && curves_->isSettled();
}

void ComparePage::saveSession(QSettings& settings) const {
    Page::saveSession(settings);
    QStringList columns, runs;
    for (const auto& column : table_->options().columns) columns << column.id();
    for (const auto& run : studio().comparedRuns()) runs << QString::fromStdString(run);
    settings.setValue(kColumns, columns);
    settings.setValue(kGrouping, table_->options().grouping == Grouping::Variant);
    settings.setValue(kSort, table_->options().sortColumn);
    settings.setValue(kOrder, table_->options().order == SortOrder::Descending);
    settings.setValue(kMetric, curves_->metric().id());
    settings.setValue(kWidths, table_->columnWidths());
    settings.setValue(kRuns, runs);
    settings.setValue(kRunsOf, studio().feed().file());
}

void ComparePage::restoreSession(QSettings& settings) {
    Page::restoreSession(settings);
    std::vector<Column> columns;
    for (const auto& id : settings.value(kColumns).toStringList())
        if (const auto column = Column::fromId(id)) columns.push_back(*column);
    if (!columns.empty()) table_->setColumns(columns);
    const bool grouped = settings.value(kGrouping, true).toBool();
    grouping_->setCurrentIndex(grouped ? 0 : 1);
    table_->setGrouping(grouped ? Grouping::Variant : Grouping::None);
    table_->setSort(settings.value(kSort, 0).toInt(),
                    settings.value(kOrder, false).toBool() ? SortOrder::Descending : SortOrder::Ascending);
    table_->setColumnWidths(settings.value(kWidths).toMap());
    if (const QString metric = settings.value(kMetric).toString(); !metric.isEmpty())
        curves_->setMetric(CurveMetric::fromId(metric));
}

}  // namespace heddle::ui
