// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/planned_runs.h"
#include "app/cli/spec_source.h"
#include "app/cli/study_report.h"
#include "engine/analysis/comparable.h"
#include "engine/analysis/run_group.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/run/run_state.h"
#include "engine/spec/data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

/// Exit codes of --check beside 0; others are those of every command.
constexpr int kNotShown = 10, kOppositeShown = 11;

struct StudyOptions {
    std::string file, device;
    bool plan = false, next = false, verdict = false, check = false;
};

/// The study of a file, its runs, and what the database has of them.
class StudyRuns {
public:
    StudyRuns(const StudyOptions& options, const Context& context)
        : context_(context), study_(Study::parse(readJsonFile(options.file), options.file)) {
        std::vector<PlanRow> rows = study_.rows;
        for (PlanRow& row : rows) row.seeds = study_.allSeeds();
        planned_ = plannedRuns(std::move(rows), options.file, options.device);
        refresh();
    }

    const Study& study() const { return study_; }
    const std::map<std::string, StudyValues>& values() const { return values_; }
    std::vector<PlannedRun>& planned() { return planned_; }
    StudyVerdict verdict() const { return verdictOf(study_, values_); }

    /// Reads the values of the runs that have ended.
    void refresh() {
        values_.clear();
        ended_ = 0;
        if (!fs::exists(context_.database)) return;
        const auto query = openDatabase(context_);
        findRuns(planned_, *query, context_.database);
        std::vector<Ended> all;
        for (const PlannedRun& run : planned_)
            if (const auto ended = read(*query, run)) all.push_back(*ended);
        const std::optional<Measured> usual = usualOf(all);
        std::map<std::size_t, FileContents> trainedOn;  // of each row's first run
        for (const Ended& one : all) {
            const auto [first, isFirst] = trainedOn.try_emplace(one.run->row, one.contents);
            const std::string reasons = usual ? reasonsOf(unlike(one.measured, *usual)) : "";
            if (first->second != one.contents)
                leaveOut(*one.run, "was trained on other data than the row's first run");
            else if (!reasons.empty())
                leaveOut(*one.run, "is not measured as the baseline is: " + reasons);
            else
                values_[nameOfRow(*one.run)].values[one.run->spec.seed] = one.value;
        }
    }
    /// Whether runs ended and none of them has a value.
    bool hasNoValues() const {
        return ended_ > 0 &&
               std::all_of(values_.begin(), values_.end(), [](const auto& row) { return row.second.values.empty(); });
    }

    /// The runs that the verdict asks for: of the rows that are open, and of the baseline.
    std::vector<PlannedRun*> due(const StudyVerdict& verdict) {
        std::vector<PlannedRun*> all;
        for (const std::uint64_t seed : verdict.nextSeeds)
            for (PlannedRun& run : planned_) {
                if (run.spec.seed != seed || run.isDone() || run.state == name(RunState::Failed)) continue;
                const auto row = std::find_if(verdict.rows.begin(), verdict.rows.end(),
                                              [&](const RowVerdict& one) { return one.name == nameOfRow(run); });
                if (row == verdict.rows.end() || row->decision == Decision::Open) all.push_back(&run);
            }
        return all;
    }

private:
    const std::string& nameOfRow(const PlannedRun& run) const { return study_.rows[run.row].name; }

    /// A completed run and its value by the study's rule.
    struct Ended {
        const PlannedRun* run;
        double value;
        Measured measured;
        FileContents contents;
    };

    void leaveOut(const PlannedRun& run, std::string why, bool hasFailed = false) {
        values_[nameOfRow(run)].leftOut.push_back({run.spec.seed, std::move(why), hasFailed});
    }

    std::optional<Ended> read(storage::RunQuery& query, const PlannedRun& run) {
        if (run.state == name(RunState::Failed)) {
            leaveOut(run, "failed; heddle resume " + run.id + " tries it again", true);
            return {};
        }
        if (!run.isDone()) return {};
        ++ended_;
        if (run.times > 1)
            context_.err << fmt::format("warning: {}, seed {}, was trained {} times; the newest run counts\n",
                                        printable(run.spec.name), run.spec.seed, run.times);
        const StudyMetric& metric = study_.metric;
        std::vector<Evaluated> evaluations;
        Measured measured;
        for (const auto& one : query.evaluations(run.id)) {
            if (one.split != metric.split || one.metric != metric.name) continue;
            if (one.damaged) {
                leaveOut(run, "a record of its evaluations is damaged");
                return {};
            }
            evaluations.push_back({one.step, one.value});
            measured.n = one.n;
            measured.signature = one.signature;
        }
        const auto value = valueBy(metric.rule, evaluations, metric.lowerIsBetter);
        if (!value) {
            leaveOut(run, fmt::format("has no {} {} by the rule \"{}\"", metric.split, metric.name, metric.rule.text()));
            return {};
        }
        const auto attempts = query.attempts(run.id);
        const auto hashes = attempts.empty() ? std::vector<std::string>() : dataHashesIn(attempts.back().context);
        FileContents contents = fileContents(run.spec, hashes);
        measured.data = splitContent(contents, metric.split);
        return Ended{&run, *value, std::move(measured), std::move(contents)};
    }

    /// How most runs of the baseline are measured; nothing while none has ended.
    std::optional<Measured> usualOf(const std::vector<Ended>& all) const {
        std::vector<std::pair<Measured, int>> kinds;
        for (const Ended& one : all) {
            if (nameOfRow(*one.run) != study_.baseline) continue;
            const auto kind =
                std::find_if(kinds.begin(), kinds.end(), [&](const auto& known) { return known.first == one.measured; });
            if (kind == kinds.end())
                kinds.emplace_back(one.measured, 1);
            else
                ++kind->second;
        }
        const auto most =
            std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        return most == kinds.end() ? std::nullopt : std::optional(most->first);
    }

    static std::string reasonsOf(const std::vector<Unlike>& unlike) {
        std::string reasons;
        for (const Unlike reason : unlike) reasons += (reasons.empty() ? "" : ", ") + reasonOf(reason);
        return reasons;
    }

    const Context& context_;
    Study study_;
    std::vector<PlannedRun> planned_;
    std::map<std::string, StudyValues> values_;
    std::size_t ended_ = 0;
};

/// A rule that no run can follow is refused before they are trained.
void requireReachable(StudyRuns& runs, const std::string& file) {
    const ValueRule& rule = runs.study().metric.rule;
    for (const PlannedRun& run : runs.planned())
        if (rule.kind == ValueRule::Kind::AtStep && run.spec.train.steps > 0 && rule.number > run.spec.train.steps)
            throw Error(ErrorCode::InvalidInput,
                        fmt::format("the value of {} is that of step {}, and it has {} steps", printable(run.spec.name),
                                    rule.number, run.spec.train.steps),
                        file, "name a step that it reaches, or \"last\"");
}

void printRuns(const std::vector<PlannedRun*>& runs, const char* schema, const StudyRuns& study, const Context& context) {
    if (context.json) {
        Json all = Json::array();
        for (const PlannedRun* run : runs)
            all.push_back({{"row", study.study().rows[run->row].name},
                           {"seed", run->spec.seed},
                           {"run", run->id.empty() ? Json() : Json(run->id)},
                           {"state", run->state}});
        return context.print({{"schema", schema}, {"runs", std::move(all)}});
    }
    Table table({"row", "seed", "state", "run"});
    for (const PlannedRun* run : runs)
        table.add({cut(printable(study.study().rows[run->row].name), 32), std::to_string(run->spec.seed), run->state,
                   run->id.empty() ? "–" : run->id});
    context.out << table.right({1}).text();
}

void printPlan(StudyRuns& runs, const Context& context) {
    std::vector<PlannedRun*> all;
    for (PlannedRun& run : runs.planned()) all.push_back(&run);
    printRuns(all, "heddle.study-plan/1", runs, context);
    const auto baseline = runs.values().find(runs.study().baseline);
    if (!context.json && baseline != runs.values().end()) context.out << detectableText(runs.study(), baseline->second.values);
}

/// Trains until the verdict asks for no more seeds, or a signal ends it. Returns the signal's exit code, or 0.
int train(StudyRuns& runs, const StudyOptions& options, const Context& context) {
    for (;;) {
        const std::vector<PlannedRun*> due = runs.due(runs.verdict());
        if (due.empty()) return 0;
        requireNoOtherOwner(runs.planned(), context.database);
        if (const int code = trainRuns(due, "study", options.file, context); code != 0) return code;
        runs.refresh();
        if (runs.hasNoValues())
            throw Error(ErrorCode::InvalidInput,
                        fmt::format("no run has a {} {} by the rule \"{}\"", runs.study().metric.split,
                                    runs.study().metric.name, runs.study().metric.rule.text()),
                        options.file, "name a metric that these runs have: heddle runs show RUN lists them");
        for (const PlannedRun* run : due)
            if (!run->isDone() && run->state != name(RunState::Failed))
                throw Error(ErrorCode::Failure, fmt::format("a run of the study is {}", run->state), run->id,
                            "heddle study goes on with it when it is given again");
    }
}

int study(const StudyOptions& options, const Context& context) {
    if (int(options.plan) + int(options.next) + int(options.verdict || options.check) > 1)
        throw Error(ErrorCode::Usage, "--plan, --next and --verdict or --check exclude each other", "heddle study",
                    "give one of them");
    StudyRuns runs(options, context);
    requireReachable(runs, options.file);
    if (options.check && !runs.study().claim)
        throw Error(ErrorCode::InvalidInput, "the study claims nothing that could be checked", options.file,
                    R"(add "claim": {"row": "…", "verdict": "better"})");
    if (options.plan) return printPlan(runs, context), 0;
    if (options.next) return printRuns(runs.due(runs.verdict()), "heddle.study-next/1", runs, context), 0;
    const bool trains = !options.verdict && !options.check;
    if (trains)
        if (const int code = train(runs, options, context); code != 0) return code;
    const StudyVerdict verdict = runs.verdict();
    context.print(verdictDocument(runs.study(), verdict), verdictText(runs.study(), verdict));
    if (trains) {
        const auto hasFailed = [](const PlannedRun& run) { return run.state == name(RunState::Failed); };
        return std::any_of(runs.planned().begin(), runs.planned().end(), hasFailed) ? static_cast<int>(ErrorCode::Failure) : 0;
    }
    if (!options.check) return 0;
    const int claim = claimIn(runs.study(), verdict);
    return claim > 0 ? 0 : claim < 0 ? kOppositeShown : kNotShown;
}

}  // namespace

void addStudy(CommandBuilder& root) {
    auto o = std::make_shared<StudyOptions>();
    root.command("study", "Train what a question to variants needs and say which is better, by how much, and how sure that is")
        .positional("FILE", o->file, "The study (resources/help/study.md shows one)")
        .flag("--plan", o->plan, "Say which runs there are and what so many seeds could show; train nothing")
        .flag("--next", o->next, "Say which runs would be trained next; train nothing")
        .flag("--verdict", o->verdict, "Say what the runs show that are there; train nothing")
        .flag("--check", o->check, "The same; ends with 0 if what the study claims is shown, 10 if not, 11 if the opposite is")
        .option("--device", o->device, "DEVICE", "auto, cpu, cuda or cuda:N, for all runs")
        .examples(
            "heddle study gates.json --plan\n"
            "heddle study gates.json --db experiments.heddle\n"
            "heddle study gates.json --check --json")
        .action([o](Context& context) { return study(*o, context); });
}

}  // namespace heddle::app
