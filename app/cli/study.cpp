// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/launchers.h"
#include "app/cli/study_report.h"
#include "app/cli/terminal.h"
#include "app/session/process/errors.h"
#include "app/session/requests/ask_owner.h"
#include "app/session/requests/averages.h"
#include "app/study/asked_study.h"
#include "app/study/earlier_groups.h"
#include "app/study/report_folder.h"
#include "app/study/study_changes.h"
#include "app/study/study_progress.h"
#include "app/study/study_runs.h"
#include "app/study/study_told.h"
#include "app/study/usable_runs.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

/// Exit codes of --check beside 0; others are those of every command.
constexpr int kNotShown = 10, kOppositeShown = 11;

struct StudyOptions {
    std::string file, device, report;
    LauncherOptions launcher;
    StudyChanges changes;
    bool plan = false, next = false, verdict = false, check = false;
    bool trains() const { return !plan && !next && !verdict && !check; }
};

/// The study of a file beside the database, which need not be there yet.
class OpenStudy {
public:
    OpenStudy(const StudyOptions& options, const Context& context)
        : context_(context),
          runs_(Study::parse(changedStudy(readJsonFile(options.file), options.changes, options.file), options.file),
                options.file, options.device, options.changes.text()) {
        refresh();
    }
    StudyRuns& runs() { return runs_; }
    const StudyRuns& runs() const { return runs_; }
    const Study& study() const { return runs_.study(); }
    StudyVerdict verdict() const { return runs_.verdict(); }
    /// With all that is told beside it.
    StudyVerdict toldVerdict() const {
        return fs::exists(context_.database) ? runs_.toldVerdict(*openDatabase(context_)) : runs_.verdict();
    }

    void refresh() {
        if (fs::exists(context_.database)) runs_.refresh(*openDatabase(context_), context_.database);
    }
    /// Records that the study is asked, and whether the question was changed. What cannot be recorded costs nobody the verdict.
    void record() {
        try {
            const std::string& key = runs_.key();
            const auto before = fs::exists(context_.database) ? findAsked(*openDatabase(context_), key) : std::nullopt;
            const AskedStudy now = askedAgain(before, runs_.askedAt(storage::unixTime()));
            if (before == now) return;
            edit(context_.database, PutItem{kStudyItem, key, now.toJson()});
            refresh();
        } catch (const std::exception& error) {
            context_.err << "warning: the database does not record that this study was asked: " << printable(error.what())
                         << "\n";
        }
    }
    /// The runs that the study trains, done or not: trials first.
    std::vector<PlannedRun> trained() const {
        std::vector<PlannedRun> all = runs_.trials();
        for (const PlannedRun& run : runs_.planned())
            if (!study().exists(runs_.nameOfRow(run))) all.push_back(run);
        return all;
    }
    /// The same without those that have failed, which are not tried again.
    std::vector<PlannedRun> toTrain() const {
        std::vector<PlannedRun> all = trained();
        std::erase_if(all, [](const PlannedRun& run) { return run.hasFailed(); });
        return all;
    }
    /// Makes and evaluates the averages of weights that a rule of value asks for.
    void evaluateAverages() {
        std::vector<AverageEvaluation> asked;
        for (const AveragedValue& one : averagesOf(runs_)) asked.push_back({one.run, one.count, one.split, one.device});
        if (asked.empty()) return;
        ensureAveragesEvaluated(context_.database, context_.engine, asked);
        refresh();
    }
    /// How values scatter over seeds: by the baseline's own runs, or by earlier runs of the task while it has too few. Nothing
    /// if neither tells it.
    std::optional<SeedScatter> scatter() const {
        if (const auto own = runs_.values().find(study().baseline); own != runs_.values().end())
            if (const auto scatter = scatterOf(own->second.values)) return scatter;
        if (!fs::exists(context_.database)) return {};
        const auto earlier = scatterOfEarlierGroups(runs_, *openDatabase(context_));
        return earlier ? std::optional(scatterOf(*earlier)) : std::nullopt;
    }
    /// Writes the report to a folder; returns the path of its page.
    std::string report(const StudyVerdict& told, const std::string& folder) const {
        return writeReport(studyReport(runs_, told, *openDatabase(context_)), folder);
    }
    /// Says which runs were trained more than once, before their values are shown.
    void warn() const {
        for (const PlannedRun& run : runs_.planned())
            if (run.times > 1)
                context_.err << fmt::format("warning: {}, seed {}, was trained {} times; the newest run counts\n",
                                            printable(run.spec.name), run.spec.seed, run.times);
    }

private:
    const Context& context_;
    StudyRuns runs_;
};

Json documentOf(const PlannedRun& run, const OpenStudy& study) {
    Json document{{"row", study.runs().nameOfRow(run)},
                  {"seed", run.spec.seed},
                  {"run", run.id.empty() ? Json() : Json(run.id)},
                  {"state", run.state},
                  {"trial", nullptr}};
    if (const Trial* trial = study.runs().trialOf(run)) {
        document["trial"] = trial->values;
        if (trial->steps > 0) document["trial"]["train.steps"] = trial->steps;
    }
    return document;
}

Json documentOf(const std::vector<PlannedRun*>& runs, const char* schema, const OpenStudy& study) {
    Json all = Json::array();
    for (const PlannedRun* run : runs) all.push_back(documentOf(*run, study));
    return {{"schema", schema}, {"runs", std::move(all)}};
}

void printRuns(const std::vector<PlannedRun*>& runs, const OpenStudy& study, const Context& context) {
    Table table({"row", "trial", "seed", "state", "run"});
    for (const PlannedRun* run : runs) {
        const Trial* trial = study.runs().trialOf(*run);
        table.add({cut(printable(study.runs().nameOfRow(*run)), 40), trial ? trial->text() : "–",
                   std::to_string(run->spec.seed), run->state, run->id.empty() ? "–" : run->id});
    }
    context.out << table.right({2}).text();
}

void printPlan(OpenStudy& study, const Context& context) {
    std::vector<PlannedRun*> all;
    for (auto* runs : {&study.runs().trials(), &study.runs().planned()})
        for (PlannedRun& run : *runs) all.push_back(&run);
    const auto scatter = study.scatter();
    if (context.json) {
        Json document = documentOf(all, "heddle.study-plan/1", study);
        document["detectable"] = scatter ? detectableDocument(study.study(), *scatter) : Json();
        return context.print(document);
    }
    printRuns(all, study, context);
    for (const std::string& words : toldWords(study.study(), study.toldVerdict())) context.out << printable(words) << "\n";
    if (scatter) context.out << detectableText(study.study(), *scatter);
}

void printNext(OpenStudy& study, const Context& context) {
    const std::vector<PlannedRun*> next = study.runs().due(study.verdict());
    if (context.json) return context.print(documentOf(next, "heddle.study-next/1", study));
    printRuns(next, study, context);
}

/// Throws Error where a run that was to be trained has neither ended nor failed.
void requireEnded(const std::set<std::string>& ids, const OpenStudy& study) {
    for (const PlannedRun& run : study.trained())
        if (ids.contains(run.id) && !run.isDone() && !run.hasFailed())
            throw Error(ErrorCode::Failure, fmt::format("a run of the study is {}", run.state), run.id,
                        "run heddle study again to continue it");
}

/// Trains until the verdict asks for no more seeds, or a signal ends it. Returns the signal's exit code, or 0.
int train(OpenStudy& study, const StudyOptions& options, Launcher& launcher) {
    StudyRuns& runs = study.runs();
    study.evaluateAverages();
    for (;;) {
        const std::vector<PlannedRun*> due = runs.due(runs.verdict());
        if (due.empty()) break;
        requireUsable(study.toTrain());
        launcher.require(study.toTrain());
        const bool areTrials = runs.trialOf(*due.front()) != nullptr;
        if (const int code = launcher.train(due, groupOfStudy(runs.key(), areTrials)); code != 0) return code;
        std::set<std::string> ids;
        for (const PlannedRun* run : due) {
            if (run->id.empty())
                throw Error(ErrorCode::Failure, "a run of the study was not trained to its end",
                            fmt::format("{}, seed {}", printable(run->spec.name), run->spec.seed),
                            "run heddle study again to continue it");
            ids.insert(run->id);
        }
        study.refresh();  // the pointers are no longer valid
        study.evaluateAverages();
        const StudyMetric& metric = runs.study().metric;
        if (runs.hasNoValues())
            throwInvalid(
                fmt::format("no run has a value of {} {} for the rule \"{}\"", metric.split, metric.name, metric.rule.text()),
                options.file, "use a metric that these runs have: heddle runs show RUN lists them");
        requireEnded(ids, study);
    }
    return 0;
}

/// Tells the verdict, and after it why the study cannot go on (`problem`) and where the report is: neither a problem of one row
/// nor a report that cannot be written costs anybody the verdict. Returns the exit status of the problem, else of the report.
int tell(const OpenStudy& study, const StudyVerdict& verdict, const std::optional<Error>& problem, const StudyOptions& options,
         const Context& context) {
    if (!context.json) context.out << verdictText(study.study(), verdict);
    Json report, reportProblem;
    int code = 0;
    try {
        if (!options.report.empty()) report = study.report(verdict, options.report);
    } catch (...) {
        const Error error = asError(std::current_exception(), options.report);
        context.printError(error);
        reportProblem = errorDocument(error);
        code = static_cast<int>(error.code());
    }
    if (problem) {
        context.printError(*problem);
        code = static_cast<int>(problem->code());
    }
    if (!context.json) {
        if (report.is_string()) context.out << "report: " << report.get<std::string>() << "\n";
        return code;
    }
    Json document = verdictDocument(study.study(), verdict);
    document["asked_with"] = options.changes.text();  // "changes" are those of the question
    document["report"] = report;
    if (!reportProblem.is_null()) document["report_error"] = reportProblem;
    if (problem) document["problem"] = errorDocument(*problem);
    context.print(document);
    return code;
}

/// Throws Error(Usage) if options are given that cannot be combined.
void requireOptions(const StudyOptions& options) {
    if (int(options.plan) + int(options.next) + int(options.verdict || options.check) > 1)
        throw Error(ErrorCode::Usage, "--plan, --next and --verdict or --check cannot be combined", "heddle study",
                    "use one of them");
    if (!options.report.empty() && (options.plan || options.next))
        throwUsage("--report needs a verdict", "heddle study", "remove --plan or --next");
    if (options.launcher.jobs && !options.trains())
        throwUsage("--jobs is how many runs train at once, and --plan, --next, --verdict and --check train none",
                   fmt::format("heddle study --jobs {}", *options.launcher.jobs), "remove --jobs");
    requireLauncherOptions(options.launcher, "study");
}

int runStudy(const StudyOptions& options, const Context& context) {
    requireOptions(options);
    if (options.launcher.cancel) {
        const std::string key = studyKey(options.file, options.changes.text());
        return cancelJobs({groupOfStudy(key, false), groupOfStudy(key, true)}, context);
    }
    if (!options.report.empty()) requireReportFolder(options.report);
    OpenStudy study(options, context);
    if (!options.changes.empty())
        context.err << printable(fmt::format("not as {} says, but with {}", options.file, options.changes.text())) << "\n";
    if (options.check && !study.study().claim)
        throwInvalid("the study has no claim to check", options.file, R"(add "claim": {"row": "…", "verdict": "better"})");
    if (options.plan) return printPlan(study, context), 0;
    if (options.next) return printNext(study, context), 0;
    const bool trains = options.trains();
    std::optional<Error> problem;
    if (trains) {
        const auto launcher = makeLauncher(options.launcher, "study", context);
        if (!study.runs().due(study.verdict()).empty()) {
            requireUsable(study.toTrain());
            launcher->require(study.toTrain());  // before the database is made
            study.record();
        }
        if (const int code = train(study, options, *launcher); code != 0) return code;
        problem = study.runs().problem();
    }
    if (fs::exists(context.database)) study.record();
    study.warn();
    const StudyVerdict verdict = study.toldVerdict();
    if (const int code = tell(study, verdict, problem, options, context); code != 0) return code;
    if (trains) {
        const auto& planned = study.runs().planned();
        const bool hasFailed =
            std::any_of(planned.begin(), planned.end(), [](const PlannedRun& run) { return run.hasFailed(); });
        return hasFailed ? static_cast<int>(ErrorCode::Failure) : 0;
    }
    if (!options.check) return 0;
    const int claim = claimIn(study.study(), verdict);
    return claim > 0 ? 0 : claim < 0 ? kOppositeShown : kNotShown;
}

}  // namespace

void addStudy(CommandBuilder& root) {
    auto o = std::make_shared<StudyOptions>();
    auto command = root.command(
        "study", "Train what a question to variants needs and say which is better, by how much, and how sure that is");
    command.positional("FILE", o->file, "The study (resources/help/study.md shows one)")
        .flag("--plan", o->plan, "Say which runs there are and what so many seeds could show; train nothing")
        .flag("--next", o->next, "Say which runs would be trained next; train nothing")
        .flag("--verdict", o->verdict, "Say what the runs show that are there; train nothing")
        .flag("--check", o->check, "The same; ends with 0 if what the study claims is shown, 10 if not, 11 if the opposite is")
        .option("--report", o->report, "DIR",
                "After the verdict, write all that is known to a folder: page, figures, tables, specs")
        .set(o->changes.set, "one value of the spec of every row; with it the study is another one")
        .flag("--drop-tuning", o->changes.dropTuning,
              "Train the rows with the settings of their specs; this is another study, too")
        .device(o->device, ", for all runs");
    addLauncherOptions(command, o->launcher);
    command
        .examples(
            "heddle study gates.json --plan\n"
            "heddle study gates.json --set train.steps=30 --drop-tuning --db trial.heddle\n"
            "heddle study gates.json --db experiments.heddle\n"
            "heddle study gates.json --report gates-report\n"
            "heddle study gates.json --launcher slurm --partition gpu --gres gpu:1 --array-limit 8\n"
            "heddle study gates.json --check --json")
        .action([o](Context& context) { return runStudy(*o, context); });
}

}  // namespace heddle::app
