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
#include <ostream>

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
        if (!fs::exists(context_.database)) return;
        const auto query = openDatabase(context_);
        findRuns(planned_, *query, context_.database);
        std::optional<Measured> reference;
        for (const bool isBaseline : {true, false})  // the others are measured as the baseline's first run is
            for (const PlannedRun& run : planned_)
                if ((nameOfRow(run) == study_.baseline) == isBaseline) take(*query, run, reference);
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

    void take(storage::RunQuery& query, const PlannedRun& run, std::optional<Measured>& reference) {
        StudyValues& row = values_[nameOfRow(run)];
        const auto leaveOut = [&](std::string why) { row.leftOut.push_back({run.spec.seed, std::move(why)}); };
        if (run.state == name(RunState::Failed)) return leaveOut("failed; heddle resume " + run.id + " tries it again");
        if (!run.isDone()) return;
        const StudyMetric& metric = study_.metric;
        std::vector<Evaluated> evaluations;
        Measured measured;
        for (const auto& one : query.evaluations(run.id)) {
            if (one.split != metric.split || one.metric != metric.name) continue;
            if (one.damaged) return leaveOut("a record of its evaluations is damaged");
            evaluations.push_back({one.step, one.value});
            measured.n = one.n;
            measured.signature = one.signature;
        }
        const auto value = valueBy(metric.rule, evaluations, metric.lowerIsBetter);
        if (!value)
            return leaveOut(fmt::format("has no {} {} by the rule \"{}\"", metric.split, metric.name, metric.rule.text()));
        const auto attempts = query.attempts(run.id);
        measured.data = splitContent(
            fileContents(run.spec, attempts.empty() ? std::vector<std::string>() : dataHashesIn(attempts.back().context)),
            metric.split);
        if (!reference) reference = measured;
        std::string reasons;
        for (const Unlike reason : unlike(measured, *reference)) reasons += (reasons.empty() ? "" : ", ") + reasonOf(reason);
        if (!reasons.empty()) return leaveOut("is not measured as the baseline is: " + reasons);
        row.values[run.spec.seed] = *value;
    }

    const Context& context_;
    Study study_;
    std::vector<PlannedRun> planned_;
    std::map<std::string, StudyValues> values_;
};

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
        for (const PlannedRun* run : due)
            if (!run->isDone() && run->state != name(RunState::Failed))
                throw Error(ErrorCode::Failure, fmt::format("a run of the study is {}", run->state), run->id,
                            "heddle study goes on with it when it is given again");
    }
}

int study(const StudyOptions& options, const Context& context) {
    StudyRuns runs(options, context);
    if (options.plan) return printPlan(runs, context), 0;
    if (options.next) return printRuns(runs.due(runs.verdict()), "heddle.study-next/1", runs, context), 0;
    if (!options.verdict && !options.check)
        if (const int code = train(runs, options, context); code != 0) return code;
    const StudyVerdict verdict = runs.verdict();
    context.print(verdictDocument(runs.study(), verdict), verdictText(runs.study(), verdict));
    if (!options.check) return 0;
    if (!runs.study().claim)
        throw Error(ErrorCode::InvalidInput, "the study claims nothing that could be checked", options.file,
                    R"(add "claim": {"row": "…", "verdict": "better"})");
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
