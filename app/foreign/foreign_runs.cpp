// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/foreign_runs.h"

#include "app/foreign/column_roles.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"
#include "engine/base/sha256.h"
#include "engine/base/text_limits.h"
#include "engine/metrics/metric.h"
#include "engine/run/run_state.h"
#include "engine/spec/foreign_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <unordered_map>

namespace heddle::app {
namespace {

constexpr auto kLargest = static_cast<double>(kLargestNamedSeed);  // whole numbers up to it are exact
constexpr double kLatest = 1e10;                                   // Unix time, in the year 2286: what is later is no time

/// The values of one column in one run.
struct Values {
    Json first;
    std::size_t count = 0;
    bool isConstant = true, isFromStart = false;  ///< isFromStart: the run's first row has one
};

/// The rows of one run.
struct Rows {
    std::string key;
    std::vector<std::size_t> rows;
    std::unordered_map<std::size_t, Values> values;  ///< by column
};

std::string shown(const Json& value) { return "\"" + printableExcerpt(textOf(value), 40) + "\""; }

class Interpreter {
public:
    Interpreter(const ForeignTable& table, const ForeignOptions& options)
        : table_(table), options_(options), roles_(namedRoles(table, options)), isNumber_(table.columns.size()) {}

    ForeignRuns made() {
        gather();
        settle();
        for (const Rows& rows : runs_) result_.runs.push_back(runOf(rows));
        describe();
        return std::move(result_);
    }

private:
    [[noreturn]] void refuse(const std::string& what, const ForeignRow& row, std::size_t column,
                             const std::string& next) const {
        throwInvalid(what, table_.place(row, column), next);
    }

    const ForeignRow& rowOf(const Rows& run, std::size_t column) const {
        for (const std::size_t row : run.rows)
            for (const auto& [at, value] : table_.rows[row].cells)
                if (at == column) return table_.rows[row];
        return table_.rows[run.rows.front()];
    }

    /// Without its folder, ".gz" and one extension: of lr_0.1.csv.gz and lr_0.1.csv it is lr_0.1.
    std::string nameOfFile() const {
        std::filesystem::path name = std::filesystem::path(table_.path).filename();
        if (name.extension() == ".gz") name = name.stem();
        return name.stem().string();
    }

    std::string keyOf(const ForeignRow& row) const {
        if (roles_.run.empty()) return nameOfFile();
        std::string key;
        for (const std::size_t column : roles_.run) {
            const auto cell =
                std::find_if(row.cells.begin(), row.cells.end(), [&](const auto& c) { return c.first == column; });
            if (cell == row.cells.end())
                refuse("the cell of the run is empty", row, column, "give the columns of the run with --run COLUMN");
            key += (key.empty() ? "" : "/") + textOf(cell->second);
        }
        return key;
    }

    /// The run of a row. Where the user says so, a step below the one before begins another run under the same key.
    Rows& runAt(const ForeignRow& row) {
        const std::string key = keyOf(row);
        auto [place, isNew] = places_.emplace(key, Place{runs_.size(), 1, 0});
        Place& at = place->second;
        if (isNew) runs_.push_back({key, {}, {}});
        if (const auto step = options_.restarts ? stepOf(row) : std::nullopt) {
            if (*step < at.step) {
                at.run = runs_.size();
                runs_.push_back({fmt::format("{} #{}", key, ++at.part), {}, {}});
            }
            at.step = *step;
        }
        return runs_[at.run];
    }

    void gather() {
        for (std::size_t i = 0; i < table_.rows.size(); ++i) {
            const ForeignRow& row = table_.rows[i];
            Rows& run = runAt(row);
            run.rows.push_back(i);
            for (const auto& [column, value] : row.cells) {
                isNumber_[column] = isNumber_[column] || numberOf(value);
                Values& values = run.values[column];
                if (values.count++ == 0) {
                    values.first = value;
                    values.isFromStart = run.rows.size() == 1;
                } else if (values.isConstant) {
                    values.isConstant = values.first == value || settingOf(values.first) == settingOf(value);
                }
            }
        }
        if (runs_.empty()) throwInvalid("no rows in the table", table_.path, "there is nothing to import");
    }

    /// Decides the columns that no name decided: what every run has from its first row on and keeps is a setting, other numbers
    /// are a series, other text is left out. Numbers under the name of a metric are no setting.
    void settle() {
        for (std::size_t column = 0; column < roles_.columns.size(); ++column) {
            Column& of = roles_.columns[column];
            if (of.role != Role::Config) continue;
            const bool isMetric = isNumber_[column] && !of.metric.metric.empty();
            const bool isSetting = !isMetric && std::all_of(runs_.begin(), runs_.end(), [&](const Rows& run) {
                const auto found = run.values.find(column);
                return found == run.values.end() || (found->second.isConstant && found->second.isFromStart);
            });
            if (isSetting) continue;
            of.role = isNumber_[column] ? Role::Series : Role::Text;
            if (of.metric.metric.empty()) of.metric = {"", table_.columns[column]};
        }
        requireOnce(table_, roles_.columns);
    }

    /// The one value that a run has in the column of a role; null where there is none.
    Json only(const Rows& run, Role role) const {
        Json value;
        for (std::size_t column = 0; column < roles_.columns.size(); ++column) {
            if (roles_.columns[column].role != role) continue;
            const auto found = run.values.find(column);
            if (found == run.values.end()) continue;
            if (!found->second.isConstant)
                refuse(fmt::format("run {} has several values", printable(run.key)), rowOf(run, column), column,
                       "give the columns that identify a run with --run COLUMN");
            value = found->second.first;
        }
        return value;
    }

    std::optional<std::uint64_t> seedOf(const Rows& run) const {
        const Json value = only(run, Role::Seed);
        if (value.is_null()) return std::nullopt;
        const auto number = wholeNumberOf(value);
        if (!number)
            throwInvalid(fmt::format("the seed {} is not a whole number from 0 to 2^53", shown(value)),
                         fmt::format("{}, run {}", table_.path, printable(run.key)),
                         "give the column of seeds with --seed COLUMN");
        return static_cast<std::uint64_t>(*number);
    }

    /// A state of Heddle or Weights & Biases.
    std::string stateOf(const Rows& run) const {
        const Json value = only(run, Role::State);
        if (value.is_null()) return std::string(name(RunState::Completed));
        static const std::map<std::string, RunState> kOthers{{"finished", RunState::Completed},
                                                             {"crashed", RunState::Failed},
                                                             {"killed", RunState::Stopped},
                                                             {"running", RunState::Interrupted}};
        const std::string word = textOf(value);
        const auto other = kOthers.find(word);
        const auto state = other == kOthers.end() ? runStateFromName(word) : std::optional(other->second);
        if (!state || !isFinal(*state))
            throwInvalid(fmt::format("{} is not a final state of a run", shown(value)),
                         fmt::format("{}, run {}", table_.path, printable(run.key)),
                         "use completed, stopped, failed or interrupted, or ignore the column with --ignore state");
        return std::string(name(*state));
    }

    std::optional<std::int64_t> stepOf(const ForeignRow& row) const {
        for (const auto& [column, value] : row.cells) {
            if (column != roles_.step) continue;
            const auto number = wholeNumberOf(value);
            if (!number)
                refuse(fmt::format("the step {} is not a whole number from 0 to 2^53", shown(value)), row, column,
                       "correct it, or give the column of steps with --step COLUMN");
            return *number;
        }
        return std::nullopt;
    }

    struct Point {
        std::int64_t step;
        double value;
        const ForeignRow* row;
    };

    ForeignCurve curveOf(std::vector<Point> points, const std::string& run, std::size_t column) const {
        std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.step < b.step; });
        ForeignCurve curve;
        for (const Point& point : points) {
            const bool isAgain = !curve.empty() && curve.back().first == point.step;
            if (isAgain && !table_.isLastOfStep)
                refuse(
                    fmt::format("run {} has step {} twice", printable(run), point.step), *point.row, column,
                    "give the columns that identify a run with --run COLUMN; where steps begin anew with each of several runs:"
                    " --restarts");
            if (isAgain)
                curve.back().second = point.value;
            else
                curve.emplace_back(point.step, point.value);
        }
        return curve;
    }

    ForeignRun runOf(const Rows& rows) {
        ForeignRun run{rows.key, rows.key, seedOf(rows), "", stateOf(rows)};
        if (const Json label = only(rows, Role::Name); !label.is_null()) run.name = textOf(label);
        const Json group = only(rows, Role::Group);
        run.group = group.is_null() ? (table_.find(options_.group) ? "" : options_.group) : textOf(group);
        const std::string place = fmt::format("{}, run {}", table_.path, printableExcerpt(run.key, 40));
        requireShortName(run.name, place);
        requireShort(run.group, kMaxNameCharacters, "the name of the group", place);
        for (const auto& [column, values] : rows.values)
            if (roles_.columns[column].role == Role::Config) run.config[settingName(column)] = storedSetting(values.first);
        readCurves(rows, run);
        if (const auto marked = table_.intervened.find(rows.key); marked != table_.intervened.end())
            run.intervened = marked->second;
        return run;
    }

    /// Without "config.", unless another setting has that name.
    std::string settingName(std::size_t column) const {
        const std::string& name = table_.columns[column];
        if (!name.starts_with(kConfigPrefix)) return name;
        const std::string bare = name.substr(std::string_view(kConfigPrefix).size());
        const auto other = table_.find(bare);
        return other && roles_.columns[*other].role == Role::Config ? name : bare;
    }

    /// A number where the text is one, so that 1e-3 and 0.001 are one setting.
    static Json settingOf(const Json& value) {
        const auto number = numberOf(value);
        if (!number || !std::isfinite(*number)) return value;
        const bool isWhole = std::abs(*number) < kLargest && *number == std::floor(*number);
        return isWhole ? Json(static_cast<std::int64_t>(*number)) : Json(*number);
    }

    /// The setting as a document can have it: a number that is not finite becomes text.
    static Json storedSetting(const Json& value) {
        const Json setting = settingOf(value);
        return setting.is_number_float() && !std::isfinite(setting.get<double>()) ? Json(numberText(setting.get<double>()))
                                                                                  : setting;
    }

    void readCurves(const Rows& rows, ForeignRun& run) {
        std::map<std::size_t, std::vector<Point>> points;
        double first = std::numeric_limits<double>::infinity(), last = -first;
        for (const std::size_t at : rows.rows) {
            const ForeignRow& row = table_.rows[at];
            const auto step = stepOf(row);
            for (const auto& [column, value] : row.cells) {
                const Role role = roles_.columns[column].role;
                if (role == Role::Time)
                    if (const auto time = numberOf(value); time && *time > 0 && *time < kLatest)
                        first = std::min(first, *time), last = std::max(last, *time);
                if (role != Role::Metric && role != Role::Series) continue;
                const auto number = numberOf(value);
                if (!number)
                    refuse(shown(value) + " is not a number", row, column,
                           fmt::format("correct it, or ignore the column with --ignore {}", table_.columns[column]));
                if (!step && (roles_.step || rows.rows.size() > 1))
                    refuse("the row has a value but no step", row, column,
                           "give the column of steps with --step COLUMN, and those that identify a run with --run COLUMN");
                points[column].push_back({step.value_or(0), *number, &row});
                run.lastStep = std::max(run.lastStep, step.value_or(0));
            }
        }
        for (auto& [column, all] : points) {
            const Column& role = roles_.columns[column];
            ForeignCurve curve = curveOf(std::move(all), rows.key, column);
            if (role.role == Role::Metric)
                run.metrics[role.metric] = std::move(curve);
            else
                run.series[role.metric] = std::move(curve);
        }
        if (first <= last) run.created = first, run.seconds = last - first;
    }

    static const char* labelOf(Role role) {
        switch (role) {
        case Role::Run: return "run";
        case Role::Name: return "name";
        case Role::Seed: return "seed";
        case Role::Step: return "step";
        case Role::Group: return "group";
        case Role::State: return "state";
        case Role::Time: return "time";
        case Role::Config: return "setting";
        default: return "";
        }
    }

    /// The values of a run as text; a NaN is equal to a NaN.
    static std::string valuesOf(const ForeignRun& run) {
        std::string text;
        const auto add = [&](const std::string& name, const ForeignCurve& curve) {
            text += name + '\n';
            for (const auto& [step, value] : curve) text += fmt::format("{} {}\n", step, value);
        };
        for (const auto& [metric, curve] : run.metrics) add(metric.split + ' ' + metric.metric, curve);
        for (const auto& [metric, curve] : run.series) add(metric.metric + ' ' + metric.path, curve);
        return text;
    }

    /// Runs whose values are all equal, which no two seeds have.
    void noteCopies() {
        std::map<std::string, std::string> seen;  // hash of the values → the first run that has them
        std::vector<std::string> copies;
        for (const ForeignRun& run : result_.runs) {
            if (run.lastStep == 0) continue;  // single results may well be equal
            const auto [known, isNew] = seen.try_emplace(sha256Hex(valuesOf(run)), run.key);
            if (!isNew) copies.push_back(fmt::format("{} and {}", known->second, run.key));
        }
        if (!copies.empty())
            result_.notes.push_back("runs with equal values, of which one may be a copy that should not count twice: " +
                                    listedNames(copies));
    }

    void describe() {
        std::vector<std::string> ignored, text;
        for (std::size_t i = 0; i < roles_.columns.size(); ++i) {
            const auto& [role, metric] = roles_.columns[i];
            const std::string& name = table_.columns[i];
            if (role == Role::Metric) {
                result_.columns[metric] = name;
                result_.roles.push_back({name, metric.split + " " + metric.metric});
                if (!findMetric(metric.metric))
                    result_.notes.push_back(fmt::format("Heddle does not know the metric {}: a higher value counts as better",
                                                        printable(metric.metric)));
            }
            if (const char* const label = labelOf(role); *label) result_.roles.push_back({name, label});
            if (role == Role::Series)
                result_.roles.push_back({name, "curve " + metric.metric + (metric.path.empty() ? "" : " of " + metric.path)});
            if (role == Role::Ignored) ignored.push_back(name);
            if (role == Role::Text) text.push_back(name);
        }
        if (!table_.leftOut.empty())
            result_.notes.insert(result_.notes.begin(),
                                 "no numbers: " + listedNames({table_.leftOut.begin(), table_.leftOut.end()}));
        if (!ignored.empty()) result_.notes.push_back("left out: " + listedNames(ignored));
        if (!text.empty()) result_.notes.push_back("left out, since it is text that changes: " + listedNames(text));
        result_.notes.insert(result_.notes.end(), table_.notes.begin(), table_.notes.end());
        noteCopies();
        if (result_.columns.empty())
            result_.notes.emplace_back(
                "no column is an evaluation, so that nothing can be compared: name one with"
                " --metric COLUMN=SPLIT:METRIC");
    }

    const ForeignTable& table_;
    const ForeignOptions& options_;
    ColumnRoles roles_;
    std::vector<bool> isNumber_;  ///< per column: whether some value of it is one
    std::vector<Rows> runs_;
    struct Place {
        std::size_t run;    ///< of runs_
        std::size_t part;   ///< how many runs the key has had
        std::int64_t step;  ///< the last one
    };
    std::unordered_map<std::string, Place> places_;  ///< by key: the run that its rows belong to
    ForeignRuns result_;
};

}  // namespace

ForeignRuns foreignRuns(const ForeignTable& table, const ForeignOptions& options) { return Interpreter(table, options).made(); }

}  // namespace heddle::app
