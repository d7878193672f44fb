// SPDX-License-Identifier: Apache-2.0
#include "app/study/study_progress.h"

#include "app/study/study_runs.h"
#include "app/study/unasked_runs.h"
#include "engine/spec/data_files.h"
#include "storage/averaged.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <set>

namespace heddle::app {
namespace {

constexpr const char* kStudies = "study/";  ///< what begins the groups of studies

/// Why one of the runs cannot begin.
std::optional<Error> missingData(const std::vector<PlannedRun>& next) {
    try {
        for (const PlannedRun& run : next) requireDataFiles(run.spec.data);
    } catch (const Error& error) {
        return error;
    }
    return {};
}

Error withoutValues(const StudyRuns& runs) {
    const StudyMetric& metric = runs.study().metric;
    return {ErrorCode::InvalidInput,
            fmt::format("runs that were trained have no value of {} {} for the rule \"{}\"", metric.split, metric.name,
                        metric.rule.text()),
            runs.file(), "heddle study FILE --verdict says why; ask for a metric and a rule that these runs have"};
}

}  // namespace

std::string groupOfStudy(const std::string& key, bool areTrials) { return kStudies + key + (areTrials ? kTrialsGroup : ""); }

std::string studyOfGroup(const std::string& group) {
    if (!group.starts_with(kStudies)) return "";
    const std::string key = group.substr(std::string(kStudies).size());
    return key.ends_with(kTrialsGroup) ? key.substr(0, key.size() - std::string(kTrialsGroup).size()) : key;
}

StudyRuns runsOfAsked(const std::optional<AskedStudy>& asked, const std::string& key, storage::RunQuery& query,
                      const std::string& database) {
    const std::string where = database + ", study " + key;
    if (!asked) throwInvalid("this is no study that the program recorded", where, "record it with heddle study FILE");
    StudyRuns runs(Study::parse(asked->study, where), asked->folder + "/" + key + ".json", "");
    runs.refresh(query, database);
    return runs;
}

std::vector<AveragedValue> averagesOf(const StudyRuns& runs) {
    std::vector<AveragedValue> all;
    const auto add = [&](const StudyMetric& metric, const std::vector<PlannedRun>& planned) {
        if (metric.rule.kind != ValueRule::Kind::Averaged) return;
        for (const PlannedRun& run : planned)
            if (run.isDone() && !runs.study().exists(runs.nameOfRow(run)))
                all.push_back({run.id, metric.rule.number, metric.split, run.spec.train.device});
    };
    add(runs.study().metric, runs.planned());
    if (runs.study().tuning) add(runs.study().tuning->metric, runs.trials());
    return all;
}

StudyProgress progressOf(StudyRuns& runs, storage::RunQuery& query, const std::string& database) {
    StudyProgress progress;
    std::set<std::string> open;
    for (const auto* all : {&runs.trials(), &runs.planned()})
        for (const PlannedRun& run : *all)
            if (run.isUnfinished()) open.insert(run.id);
    if (!open.empty() && storage::currentOwner(database).empty()) {
        runs.refresh(query, database);  // an owner that has ended since then wrote their last states
        open.clear();
    }
    progress.open.assign(open.begin(), open.end());
    progress.averages = averagesOf(runs);
    std::erase_if(progress.averages, [&](const AveragedValue& one) {
        return storage::isAverageEvaluated(query, one.run, averagedSplit(one.split, one.count), one.count);
    });
    bool areTrials = false;
    for (const PlannedRun* run : runs.due(runs.verdict())) {
        areTrials = areTrials || runs.trialOf(*run) != nullptr;
        if (!open.contains(run->id)) progress.next.push_back(*run);
    }
    progress.group = groupOfStudy(runs.key(), areTrials);
    progress.problem = runs.problem();
    if (const auto missing = missingData(progress.next)) {
        progress.next.clear();
        progress.problem = missing;
    }
    if (progress.isOver() && !progress.problem && runs.hasNoValues()) progress.problem = withoutValues(runs);
    return progress;
}

}  // namespace heddle::app
