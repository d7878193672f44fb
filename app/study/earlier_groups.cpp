// SPDX-License-Identifier: Apache-2.0
#include "app/study/earlier_groups.h"

#include "app/study/existing_runs.h"
#include "app/study/file_contents.h"
#include "app/study/recorded_value.h"
#include "app/study/study_runs.h"
#include "app/study/unasked_runs.h"
#include "engine/analysis/run_group.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/data/readers/file_content.h"
#include "engine/run/run_state.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

/// The task of a run and what its value was measured on. Equal ones mean the same task on the same examples.
struct MeasuredTask {
    std::string task;
    std::string data;  ///< content of the split's file, or settings of generated data; empty: not known
    bool operator==(const MeasuredTask&) const = default;
};

MeasuredTask taskOf(const RunSpec& spec, const FileContents& contents, const std::string& split) {
    if (isGenerated(spec.data.format)) return {spec.data.task, canonicalJson(spec.toJson().at("data"))};
    return {spec.data.task, splitContent(contents, split)};
}

/// What the files of a spec hold now.
FileContents contentsNow(const RunSpec& spec) {
    FileContents contents;
    for (const NamedFile& file : namedFiles(spec.toJson()))
        if (const std::string content = contentOf(file.role, file.path); !content.empty()) contents[file.setting] = content;
    return contents;
}

struct EarlierRun {
    GroupMember member;
    std::string group;
    RecordedValue value;
};

/// Returns the completed runs of the task that the study does not ask for, oldest first.
std::vector<EarlierRun> earlierRuns(const MeasuredTask& wanted, const StudyRuns& runs, storage::RunQuery& query) {
    std::set<std::string> asked;
    for (const auto* all : {&runs.planned(), &runs.trials()})
        for (const PlannedRun& run : *all) asked.insert(run.id);
    const StudyMetric& metric = runs.study().metric;
    const std::string completed(name(RunState::Completed));
    std::vector<EarlierRun> found;
    for (const storage::RunRecord& run : query.runs()) {
        if (run.damaged || run.state != completed || run.intervened >= 0 || run.trashed > 0 || asked.contains(run.id) ||
            run.group.ends_with(kTrialsGroup))
            continue;
        try {
            const RunSpec spec = RunSpec::parse(parseJson(run.spec, run.id), builtinCatalogue());
            if (spec.data.task != wanted.task ||  // before the run's files are looked up
                taskOf(spec, fileContents(spec, recordedDataHashes(query, run.id)), metric.split) != wanted)
                continue;
        } catch (const Error&) {  // foreign, or of another version of the program
            continue;
        }
        RecordedValue value = recordedValue(query, run.id, metric);
        if (value.value)
            found.push_back({{run.id, run.seed, run.created, true, false}, experimentOf(run, query), std::move(value)});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const EarlierRun& a, const EarlierRun& b) { return a.member.created < b.member.created; });
    return found;
}

}  // namespace

std::optional<NoiseFloor> scatterOfEarlierGroups(const StudyRuns& runs, storage::RunQuery& query) {
    const auto baseline = std::find_if(runs.planned().begin(), runs.planned().end(), [&](const PlannedRun& run) {
        return runs.nameOfRow(run) == runs.study().baseline && run.hasSpec;
    });
    if (baseline == runs.planned().end()) return {};
    const MeasuredTask wanted = taskOf(baseline->spec, contentsNow(baseline->spec), runs.study().metric.split);
    if (wanted.data.empty()) return {};
    const std::vector<EarlierRun> earlier = earlierRuns(wanted, runs, query);
    std::map<std::string, std::pair<std::vector<GroupMember>, std::vector<double>>> groups;
    for (const EarlierRun& run : earlier)
        if (unlike(run.value.measured, earlier.back().value.measured).empty()) {
            groups[run.group].first.push_back(run.member);
            groups[run.group].second.push_back(*run.value.value);
        }
    std::vector<std::vector<double>> values;
    for (const auto& [key, group] : groups) {
        values.emplace_back();
        for (const std::size_t i : countedRuns(group.first)) values.back().push_back(group.second[i]);
    }
    return noiseFloor(values);
}

}  // namespace heddle::app
