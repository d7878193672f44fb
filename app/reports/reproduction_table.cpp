// SPDX-License-Identifier: Apache-2.0
#include "app/reports/reproduction_table.h"

#include "app/reports/efficiency.h"
#include "engine/analysis/metric_summary.h"
#include "engine/base/contains.h"
#include "engine/base/json.h"
#include "engine/data/inspect/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace heddle::app {
namespace {

using Item = ReproductionItem;
using Cell = ReproductionCell;
using Value = std::optional<double>;

/// Reads measured numbers from runs and files.
class Reader {
public:
    Reader(const Reproduction& reproduction, storage::RunQuery* query) : reproduction_(reproduction), query_(query) {}

    /// Nothing if the run did not record it.
    Value ofRun(const RecipeMeasure& measure, const Item& item, Cell& cell) {
        const auto run = query_->run(item.id);
        if (!run) return {};
        Value value = measure.from == "evaluation"  ? ofEvaluations(measure, item.id, cell)
                      : measure.from == "series"    ? ofSeries(measure, item.id)
                      : measure.from == "histogram" ? ofHistograms(measure, item.id)
                                                    : ofRecord(measure.field, *run, item);
        if (value) *value *= measure.scale;
        return value;
    }
    Value ofFiles(const RecipeMeasure& measure) {
        double sum = 0;
        for (const auto& file : measure.files) {
            const Json report = inspectDocument(inspectFiles({reproduction_.pathOf(file)}, InspectOptions{}));
            const Json::json_pointer at("/files/0" + measure.at);
            if (!report.contains(at) || !report.at(at).is_number()) return {};
            sum += report.at(at).get<double>();
        }
        return sum * measure.scale;
    }

private:
    Value ofEvaluations(const RecipeMeasure& measure, const std::string& run, Cell& cell) {
        auto evaluations = query_->evaluations(run);
        std::erase_if(evaluations, [&](const auto& e) { return e.split != measure.split || e.metric != measure.metric; });
        if (evaluations.empty()) return {};
        const MetricSummary summary = summariseMetric(evaluations);
        cell.signature = summary.signature;
        double scale = 1;
        if (measure.per > 0 && summary.n != measure.per) {
            if (summary.n == 0) return {};
            scale = static_cast<double>(measure.per) / static_cast<double>(summary.n);
            cell.remark = fmt::format("scaled from {} to {}", summary.n, measure.per);
        }
        if (measure.take == "last") return scale * summary.last;
        if (measure.take == "best") return scale * summary.best;
        for (const auto& e : evaluations)
            if (e.step == summary.bestStep) return static_cast<double>(e.epoch);
        return {};
    }
    Value ofSeries(const RecipeMeasure& measure, const std::string& run) {
        const auto points = query_->points(run, measure.name, measure.path, 0, std::numeric_limits<std::int64_t>::max());
        if (points.empty()) return {};
        if (measure.take == "last") return points.back().value;
        if (measure.take == "max")
            return std::max_element(points.begin(), points.end(),
                                    [](const auto& a, const auto& b) { return a.value < b.value; })
                ->value;
        const double sum =
            std::accumulate(points.begin(), points.end(), 0.0, [](double s, const auto& p) { return s + p.value; });
        return sum / static_cast<double>(points.size());
    }
    Value ofHistograms(const RecipeMeasure& measure, const std::string& run) {
        std::optional<storage::RunQuery::Snapshot> newest;
        for (const auto& snapshot : query_->histogramIndex(run))
            if (snapshot.name == measure.name && snapshot.path == measure.path && (!newest || snapshot.step > newest->step))
                newest = snapshot;
        const auto found = newest ? query_->histogram(run, *newest) : std::nullopt;
        return found ? Value(found->mean) : std::nullopt;
    }
    Value ofRecord(const std::string& field, const storage::RunRecord& run, const Item& item) {
        if (field == "diverged") return item.state == Item::State::Diverged ? 1.0 : 0.0;
        if (field == "steps") return static_cast<double>(run.step);
        if (field == "epochs") return static_cast<double>(run.epoch);
        if (field == "parameters" && run.parameters > 0) return static_cast<double>(run.parameters);
        const Json figures = efficiencyDocument(efficiencyOf(*query_, run));
        const auto figure = figures.find(field);
        return figure != figures.end() && figure->is_number() ? Value(figure->get<double>()) : std::nullopt;
    }

    const Reproduction& reproduction_;
    storage::RunQuery* query_;
};

std::string shortly(const Item& item) {
    switch (item.state) {
    case Item::State::NoData: return item.missing.front() + " is missing";
    case Item::State::Waiting: return "waits for " + item.waitsFor;
    case Item::State::New: return "not run yet";
    case Item::State::Training: return "in training";
    case Item::State::Diverged: return "diverged";
    default: return item.reason.empty() ? "unfinished" : "unfinished: " + item.reason;
    }
}

Cell::State stateOf(const Item& item) {
    if (item.state == Item::State::NoData) return Cell::State::NoData;
    return item.state == Item::State::Diverged ? Cell::State::Failed : Cell::State::Waiting;
}

/// Makes the lines of one block.
class Tabulator {
public:
    Tabulator(const Reproduction& reproduction, storage::RunQuery* query)
        : reproduction_(reproduction), recipe_(reproduction.recipe()), reader_(reproduction, query) {}

    /// Printed numbers without measurement appear only in the first reading's block.
    enum class Reading { First, Further };
    ReproductionBlock block(const PublishedColumn& column, const std::string& reading, Reading place) {
        ReproductionBlock made{&column, reading, {}};
        for (const auto& row : recipe_.published.rows) {
            ReproductionLine line{row.name, row.note, row.control, true, row.remarks, cell(row.name, column, reading)};
            if (const auto printed = row.values.find(column.id); printed != row.values.end())
                line.cell.published = printed->second;
            if ((line.cell.published && place == Reading::First) || line.cell.expected > 0)
                made.lines.push_back(std::move(line));
        }
        for (const auto& run : recipe_.runs) {
            const bool isKnown =
                std::any_of(made.lines.begin(), made.lines.end(), [&](const auto& l) { return l.row == run.row; });
            if (run.row.empty() || recipe_.published.row(run.row) || isKnown) continue;
            ReproductionLine line{run.row, run.note, "", false, {}, cell(run.row, column, reading)};
            if (line.cell.expected > 0) made.lines.push_back(std::move(line));
        }
        return made;
    }

private:
    Cell cell(const std::string& row, const PublishedColumn& column, const std::string& reading) {
        Cell cell;
        auto why = recipe_.notMeasured.find(column.id);
        if (why == recipe_.notMeasured.end()) why = recipe_.notMeasured.find(row);
        cell.why = why == recipe_.notMeasured.end() ? "nothing here measures it" : why->second;
        for (const auto& run : recipe_.runs) {
            if (run.row != row) continue;
            for (const auto& id : run.measures) {
                const RecipeMeasure& measure = recipe_.measure(id);
                if (measure.column == column.id && measure.reading == reading) fill(cell, run, measure);
            }
        }
        if (cell.expected > 0 && cell.values.size() == cell.expected) {
            cell.state = Cell::State::Measured;
            cell.why.clear();
        } else if (!cell.values.empty()) {
            cell.state = Cell::State::Partial;
        }
        return cell;
    }
    void fill(Cell& cell, const RecipeRun& run, const RecipeMeasure& measure) {
        if (measure.from == "count") {
            ++cell.expected;
            cell.values.push_back(static_cast<double>(countedParameters(recipe_, run, measure)) * measure.scale);
            cell.signature = "counted at the paper's sizes";
        } else if (measure.from == "layers") {
            ++cell.expected;
            cell.values.push_back(static_cast<double>(layersOf(recipe_, run)));
            cell.signature = "of the recipe";
        } else if (reproduction_.isLeftOut(run)) {
            ++cell.expected;
            tell(cell, Cell::State::LeftOut,
                 reproduction_.isQuick() && !recipe_.includes(Recipe::Scale::Quick, run) ? "not in the quick version"
                                                                                         : "left out by --only");
        } else if (measure.from == "inspect") {
            fillFromFiles(cell, measure);
        } else {
            for (const Item* item : reproduction_.itemsOf(run)) fillFromRun(cell, *item, measure);
        }
    }
    void fillFromFiles(Cell& cell, const RecipeMeasure& measure) {
        ++cell.expected;
        for (const auto& file : measure.files)
            if (reproduction_.pathOf(file).empty()) return tell(cell, Cell::State::NoData, file + " is missing");
        if (const Value value = reader_.ofFiles(measure))
            cell.values.push_back(*value);
        else
            tell(cell, Cell::State::NotRecorded, "not in the inspection report");
    }
    void fillFromRun(Cell& cell, const Item& item, const RecipeMeasure& measure) {
        ++cell.expected;
        const bool isOver = item.state == Item::State::Done || item.state == Item::State::Diverged;
        const bool tellsNothing = item.state == Item::State::Diverged && measure.field != "diverged";
        if (!isOver || tellsNothing) return tell(cell, stateOf(item), shortly(item));
        if (const Value value = reader_.ofRun(measure, item, cell)) {
            cell.values.push_back(*value);
            cell.runs.push_back(item.id);
        } else {
            tell(cell, Cell::State::NotRecorded, "run " + item.id + " does not tell it");
        }
    }
    static void tell(Cell& cell, Cell::State state, const std::string& why) {
        cell.state = state;
        cell.why = why;
    }

    const Reproduction& reproduction_;
    const Recipe& recipe_;
    Reader reader_;
};

}  // namespace

std::string_view name(Cell::State state) {
    switch (state) {
    case Cell::State::Measured: return "measured";
    case Cell::State::Partial: return "partial";
    case Cell::State::Waiting: return "waiting";
    case Cell::State::NoData: return "no data";
    case Cell::State::Failed: return "failed";
    case Cell::State::LeftOut: return "left out";
    case Cell::State::NotRecorded: return "not recorded";
    case Cell::State::NotMeasured: return "not measured";
    }
    return "";
}

bool ReproductionTable::isComplete() const {
    return std::all_of(blocks.begin(), blocks.end(), [](const auto& block) {
        return std::all_of(block.lines.begin(), block.lines.end(), [](const auto& line) {
            const auto state = line.cell.state;
            return state == Cell::State::Measured || state == Cell::State::LeftOut || state == Cell::State::NotMeasured;
        });
    });
}

ReproductionTable tabulate(const Reproduction& reproduction, storage::RunQuery* query) {
    ReproductionTable table;
    Tabulator tabulator(reproduction, query);
    for (const auto& column : reproduction.recipe().published.columns) {
        std::vector<std::string> readings;
        for (const auto& measure : reproduction.recipe().measures)
            if (measure.column == column.id && !contains(readings, measure.reading)) readings.push_back(measure.reading);
        if (readings.empty()) readings.emplace_back();
        for (const auto& reading : readings)
            table.blocks.push_back(tabulator.block(
                column, reading, &reading == &readings.front() ? Tabulator::Reading::First : Tabulator::Reading::Further));
    }
    std::erase_if(table.blocks, [](const auto& block) { return block.lines.empty(); });
    return table;
}

}  // namespace heddle::app
