// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/compare_views.h"

#include "engine/analysis/line_fit.h"
#include "engine/base/json.h"
#include "ui/pages/compare/pair_panel.h"
#include "ui/panels/table/compared_cells.h"
#include "ui/panels/table/run_table_view.h"
#include "ui/plot/bar_plot.h"
#include "ui/plot/parallel_plot.h"
#include "ui/plot/scatter_plot.h"
#include "ui/plot/strip_plot.h"
#include "ui/text/number.h"

#include <QComboBox>
#include <QDockWidget>

#include <algorithm>
#include <cmath>
#include <set>

namespace heddle::ui {
namespace {

constexpr qsizetype kMostRows = 60;    ///< of bars and strips
constexpr std::size_t kMostAxes = 12;  ///< of parallel coordinates
constexpr qsizetype kMostLines = 500;  ///< of the same

/// The groups that the table shows, in its order, that have values; at most kMostRows.
std::vector<std::pair<const RunGroup*, const ComparedGroup*>> shownGroups(const ComparedView& view) {
    std::vector<std::pair<const RunGroup*, const ComparedGroup*>> shown;
    for (const RunGroup& group : view.table.model().arrangement()->groups) {
        const ComparedGroup* compared = view.comparer.comparison()->group(group.key);
        const bool isNew = shown.empty() || shown.back().first->key != group.key;
        if (compared && compared->spread && isNew && shown.size() < std::size_t(kMostRows))
            shown.emplace_back(&group, compared);
    }
    return shown;
}

QString nameOf(const ComparedView& view, const std::string& key) {
    const auto& names = view.table.model().arrangement()->names;
    const auto found = names.find(key);
    return found == names.end() ? QString() : found->second;
}

/// The numbers that runs have: of the run, its metrics, the settings in which runs differ, and tags.
std::vector<Column> quantities(const RunTable& table) {
    using K = Column::Kind;
    std::vector<Column> all{{K::Parameters, ""}, {K::Steps, ""}, {K::Epochs, ""}, {K::Time, ""}, {K::Seed, ""}};
    for (const std::string& metric : table.metrics) {
        all.push_back({K::Best, metric});
        all.push_back({K::Last, metric});
    }
    for (const std::string& path : table.varying) {
        const auto isNumber = [&](const RunPointer& run) {
            const Json* value = run->setting(path);
            return value && value->is_number();
        };
        if (std::any_of(table.runs.begin(), table.runs.end(), isNumber)) all.push_back({K::Setting, path});
    }
    for (const std::string& key : tagKeys(table)) {
        const auto isNumber = [&](const RunPointer& run) { return tagCell(run->record.tags, key).isNumber; };
        if (std::any_of(table.runs.begin(), table.runs.end(), isNumber)) all.push_back({K::Tag, key});
    }
    return all;
}

QString wordsOf(const Column& column) {
    if (column.kind == Column::Kind::Best) return ScatterPanel::tr("%1, best").arg(column.title());
    return column.kind == Column::Kind::Last   ? ScatterPanel::tr("%1, last").arg(column.title())
           : column.kind == Column::Kind::Seed ? ScatterPanel::tr("Seed")
                                               : column.title();
}

int decimalsOf(const Column& column) {
    if (column.isMetric()) return metricDecimals(column.key);
    return column.kind == Column::Kind::Setting || column.kind == Column::Kind::Tag ? 6 : 0;
}

}  // namespace

ScatterPanel::ScatterPanel(const ComparedView& view, QWidget* parent)
    : Panel(tr("Scatter"), parent),
      view_(view),
      plot_(new ScatterPlot(this)),
      x_(addChoice(tr("Horizontal"))),
      y_(addChoice(tr("Vertical"))) {
    x_->setObjectName(QStringLiteral("scatterX"));
    y_->setObjectName(QStringLiteral("scatterY"));
    plot_->setAccessibleName(tr("Scatter of two quantities"));
    for (QComboBox* box : {x_, y_}) connect(box, &QComboBox::activated, this, &ScatterPanel::refresh);
    setBody(plot_, {plot_});
}

void ScatterPanel::fillChoices() {
    QStringList keys, words;
    for (const Column& column : quantities(*view_.table.table())) {
        keys << column.id();
        words << wordsOf(column);
    }
    const Column value{Column::Kind::Last, view_.comparer.comparison()->metricKey()};
    const auto wished = [](const QComboBox& box, const Column& usual) {
        return box.currentData().isValid() ? box.currentData().toString() : usual.id();
    };
    fillChoice(*x_, keys, words, wished(*x_, {Column::Kind::Parameters, ""}));
    fillChoice(*y_, keys, words, wished(*y_, value));
}

void ScatterPanel::refresh() {
    fillChoices();
    const auto x = Column::fromId(x_->currentData().toString()), y = Column::fromId(y_->currentData().toString());
    ScatterData points;
    std::vector<double> xs, ys;
    if (x && y) {
        points.xTitle = wordsOf(*x);
        points.yTitle = wordsOf(*y);
        points.xDecimals = decimalsOf(*x);
        points.yDecimals = decimalsOf(*y);
        for (const RunGroup& group : view_.table.model().arrangement()->groups)
            for (const RunRow& row : group.rows) {
                const Cell a = x->value(*row.run), b = y->value(*row.run);
                if (!a.isNumber || !b.isNumber || !std::isfinite(a.number) || !std::isfinite(b.number)) continue;
                points.points << ScatterPoint{a.number, b.number, view_.colours.orderOf(row.run->record),
                                              runLabel(row.run->record)};
                xs.push_back(a.number);
                ys.push_back(b.number);
            }
    }
    const auto fit = lineFit(xs, ys);
    if (fit) points.line = {fit->slope, fit->intercept};
    if (fit && fit->interval)
        setNote(tr("n %1 · slope %2 [%3, %4] · r %5 · describes these runs, and tests nothing")
                    .arg(count(qint64(fit->n)), shortNumber(fit->slope), shortNumber(fit->interval->low),
                         shortNumber(fit->interval->high), number(fit->correlation, 2)));
    else
        setNote(tr("n %1").arg(count(points.points.size())));
    setPlaceholder(points.points.isEmpty() ? tr("No run has both quantities") : QString(), {});
    plot_->setData(std::move(points));
}

ParallelPanel::ParallelPanel(const ComparedView& view, QWidget* parent)
    : Panel(tr("Parallel coordinates"), parent), view_(view), plot_(new ParallelPlot(this)) {
    plot_->setAccessibleName(tr("Parallel coordinates of the runs"));
    setBody(plot_, {plot_});
}

void ParallelPanel::refresh() {
    const Arrangement& shown = *view_.table.model().arrangement();
    const StudyComparison& comparison = *view_.comparer.comparison();
    ParallelData lines;
    std::vector<std::size_t> axes;
    const auto hasNumbers = [&](std::size_t place) {
        return std::any_of(shown.groups.begin(), shown.groups.end(), [&](const RunGroup& group) {
            return std::any_of(group.rows.begin(), group.rows.end(),
                               [&](const RunRow& row) { return std::isfinite(row.cell(place).number); });
        });
    };
    for (std::size_t i = 0; i < shown.options.columns.size() && axes.size() < kMostAxes; ++i) {
        const Column& column = shown.options.columns[i];
        const bool isNumber = column.isNumeric() || column.kind == Column::Kind::Setting || column.kind == Column::Kind::Tag;
        if (!isNumber || !hasNumbers(i)) continue;
        axes.push_back(i);
        lines.axes << (column.isCompared() ? comparedTitle(column, comparison) : wordsOf(column));
        lines.decimals << (column.isCompared() ? comparison.decimals : decimalsOf(column));
    }
    std::set<RunRef> selected;
    for (const RunPointer& run : view_.table.selectedRuns()) selected.insert(run->record.ref);
    for (const RunGroup& group : shown.groups)
        for (const RunRow& row : group.rows) {
            if (lines.lines.size() == kMostLines) break;
            ParallelLine line{{}, view_.colours.orderOf(row.run->record), runLabel(row.run->record)};
            line.isLit = selected.empty() || selected.contains(row.run->record.ref);
            for (const std::size_t axis : axes) {
                const Cell& cell = row.cell(axis);
                line.values << (cell.isNumber && std::isfinite(cell.number) ? std::optional(cell.number) : std::nullopt);
            }
            lines.lines << line;
        }
    setNote(tr("axes: the columns with numbers · %1 of %2 runs, in the order of the table")
                .arg(count(lines.lines.size()), count(shown.shown)));
    setPlaceholder(axes.size() < 2 ? tr("The table has no two columns with numbers") : QString(), {});
    plot_->setData(std::move(lines));
}

BarsPanel::BarsPanel(const ComparedView& view, QWidget* parent)
    : Panel(tr("Bars"), parent), view_(view), plot_(new BarPlot(this)) {
    plot_->setAccessibleName(tr("Means of the groups"));
    setScrolledBody(plot_);
}

void BarsPanel::refresh() {
    const StudyComparison& comparison = *view_.comparer.comparison();
    const double scale = comparison.scale;
    BarData bars;
    bars.decimals = comparison.decimals;
    bars.title = valueTitle(comparison);
    bars.order = 1;
    bars.runName = tr("mean of the group");
    bars.referenceName = tr("mean of %1").arg(nameOf(view_, comparison.baseline));
    const ComparedGroup* baseline = comparison.baselineGroup();
    for (const auto& [group, compared] : shownGroups(view_)) {
        Bar bar{group->name, scale * compared->spread->mean, {}};
        if (baseline && baseline->spread && baseline != compared) bar.reference = scale * baseline->spread->mean;
        bars.bars << bar;
    }
    setNote(tr("%1 · %Ln group(s) of the table", nullptr, int(bars.bars.size())).arg(bars.title));
    setPlaceholder(bars.bars.isEmpty() ? tr("No group has a value of this metric") : QString(), {});
    plot_->setData(std::move(bars));
    plot_->setMinimumHeight(plot_->leastHeight());
}

SeedsPanel::SeedsPanel(const ComparedView& view, QWidget* parent)
    : Panel(tr("Seeds"), parent), view_(view), plot_(new StripPlot(this)) {
    plot_->setAccessibleName(tr("Values of the seeds by group"));
    setScrolledBody(plot_);
}

void SeedsPanel::refresh() {
    const StudyComparison& comparison = *view_.comparer.comparison();
    const double scale = comparison.scale;
    StripData strips;
    strips.decimals = comparison.decimals;
    strips.title = tr("%1 · marker: a seed, tick: the mean").arg(valueTitle(comparison));
    for (const auto& [group, compared] : shownGroups(view_)) {
        StripRow row{group->name, {}, scale * compared->spread->mean};
        for (const auto& [seed, value] : compared->values)
            row.points << StripPoint{scale * value, view_.colours.orderOf(group->key), tr("seed %1").arg(seed)};
        strips.rows << row;
    }
    setNote(tr("%1 · %Ln group(s) of the table", nullptr, int(strips.rows.size())).arg(valueTitle(comparison)));
    setPlaceholder(strips.rows.isEmpty() ? tr("No group has a value of this metric") : QString(), {});
    plot_->setData(std::move(strips));
    plot_->setMinimumHeight(plot_->leastHeight());
}

CompareViews::CompareViews(Studio& studio, RunTableView& table, const StudyComparer& comparer, QWidget* parent)
    : QStackedWidget(parent) {
    const ComparedView view{table, comparer, studio.colours()};
    addWidget(&table);
    addWidget(scatter_ = new ScatterPanel(view, this));
    addWidget(parallel_ = new ParallelPanel(view, this));
    addWidget(bars_ = new BarsPanel(view, this));
    addWidget(seeds_ = new SeedsPanel(view, this));
    addWidget(pair_ = new PairPanel(studio, view, this));
    connect(pair_, &ui::Panel::failed, this, [&studio](const Problem& problem) { studio.report(problem); });
    connect(&table, &RunTableView::arranged, this, &CompareViews::refresh);
    for (ui::Panel* panel : std::initializer_list<ui::Panel*>{scatter_, parallel_, bars_, seeds_, pair_})
        connect(panel, &ui::Panel::expandRequested, this, &CompareViews::toggleFullSize);
}

QStringList CompareViews::words() {
    return {tr("Table"), tr("Scatter"), tr("Parallel"), tr("Bars"), tr("Seeds"), tr("Attention, gates")};
}

void CompareViews::toggleFullSize() {
    const bool expands = hidden_.isEmpty();
    if (expands)
        for (auto* dock : parentWidget()->findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
            if (dock->isVisible()) hidden_ << dock;
    for (QWidget* dock : hidden_) dock->setVisible(!expands);
    if (!expands) hidden_.clear();
    auto panels = currentWidget()->findChildren<ui::Panel*>();
    if (auto* panel = qobject_cast<ui::Panel*>(currentWidget())) panels << panel;
    for (ui::Panel* panel : panels)
        if (!panel->plots().isEmpty()) panel->setExpanded(expands);
}

void CompareViews::choose(int view) {
    if (!hidden_.isEmpty()) toggleFullSize();
    setCurrentIndex(view);
    refresh();
    if (view > 0) currentWidget()->setFocus(Qt::OtherFocusReason);
}

/// What is hidden is drawn when it is shown.
void CompareViews::refresh() {
    if (currentWidget() == scatter_) scatter_->refresh();
    if (currentWidget() == parallel_) parallel_->refresh();
    if (currentWidget() == bars_) bars_->refresh();
    if (currentWidget() == seeds_) seeds_->refresh();
    if (currentWidget() == pair_) pair_->refresh();
}

}  // namespace heddle::ui
