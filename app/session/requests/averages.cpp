// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/averages.h"

#include "app/session/process/paths.h"
#include "app/session/recorder/ownership.h"
#include "app/session/runs/checkpoint_folders.h"
#include "app/session/runs/chosen_checkpoint.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/spec/data_files.h"
#include "storage/averaged.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace heddle::app {
namespace {

using storage::CheckpointRecord;

std::string artifactsOf(const std::string& database) {
    return storage::artifactFolder(std::filesystem::absolute(database).string());
}

std::string placeOf(const storage::RunRecord& run) { return "run " + run.id; }

std::string textOf(const std::vector<std::int64_t>& steps) { return fmt::format("{}", fmt::join(steps, ", ")); }

void requireCount(std::int64_t count, const storage::RunRecord& run) {
    if (count < 2 || count > std::int64_t(kMostAveraged))
        throw Error(ErrorCode::Usage, fmt::format("{} checkpoint{} cannot be averaged", count, count == 1 ? "" : "s"),
                    placeOf(run), fmt::format("average 2 to {}", kMostAveraged));
}

/// Checks that the files of all checkpoints match their records, and returns the request for the engine.
AverageRequest verified(storage::RunQuery& query, const std::string& database, const AveragedSteps& averaged) {
    const std::string artifacts = artifactsOf(database), place = placeOf(averaged.run);
    requireWhole(averaged.run);
    requireCount(std::ssize(averaged.steps), averaged.run);
    const std::vector<CheckpointRecord> all = query.checkpoints(averaged.run.id);
    for (const std::int64_t step : averaged.steps) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const CheckpointRecord& one) {
            return one.step == step && !storage::isAverage(one.kind);
        });
        if (found == all.end()) {
            std::set<std::int64_t> kept;
            for (const auto& one : all)
                if (!storage::isAverage(one.kind)) kept.insert(one.step);
            throw Error(ErrorCode::Usage, fmt::format("the run has no checkpoint of step {}", step), place,
                        kept.empty() ? "it has none" : fmt::format("it has those of steps {}", fmt::join(kept, ", ")));
        }
        const char* next = "name others with heddle average --steps";
        if (found->damaged) throwInvalid(fmt::format("the record of the checkpoint of step {} is damaged", step), place, next);
        if (const auto problem = checkpointProblem(artifacts, *found); !problem.empty()) throwInvalid(problem, place, next);
    }
    return {artifacts + "/" + requireRunId(averaged.run.id), averaged.steps, ""};
}

}  // namespace

std::vector<std::int64_t> lastSteps(storage::RunQuery& query, const storage::RunRecord& run, std::int64_t count) {
    requireCount(count, run);
    std::vector<std::int64_t> steps = storage::newestSteps(query.checkpoints(run.id), count);
    if (std::ssize(steps) < count)
        throw Error(
            ErrorCode::Usage,
            fmt::format("the run has {} of its last checkpoints{}, not {}", steps.size(),
                        steps.empty() ? "" : " (steps " + textOf(steps) + ")", count),
            placeOf(run),
            fmt::format("{}train with train.keep_last={} or more, and a train.checkpoint_every that writes as many",
                        steps.size() < 2 ? "" : fmt::format("average {} with --last {}, or ", steps.size(), steps.size()),
                        count));
    return steps;
}

std::unique_ptr<storage::RunStore> ownDatabase(const std::string& database, const std::string& owner, const std::string& hint) {
    try {
        return openAsOwner(database, {owner, 0});
    } catch (const storage::StorageError& error) {
        if (error.kind() != storage::StorageError::Kind::Locked) throw;
        throw Error(ErrorCode::Failure, error.problem(), error.where(), error.next() + hint);
    }
}

CheckpointWritten exportAverage(storage::RunQuery& query, const std::string& database, Engine& engine,
                                const AveragedSteps& averaged, const std::string& file) {
    AverageRequest request = verified(query, database, averaged);
    request.file = file;
    return engine.averageCheckpoints(request);
}

Changer changerOf(storage::RunStore& owner) {
    return [&owner](const std::function<void(storage::RunStore&)>& change) {
        owner.begin();
        change(owner);
        owner.commit(storage::RunStore::Durability::Full);
        if (!owner.isConfirmed()) owner.checkpointWal();  // says so when the disk fails again
    };
}

CheckpointRecord addAverage(const std::string& database, const Changer& change, Engine& engine, const AveragedSteps& averaged) {
    const auto query = storage::RunQuery::open(database);
    const std::string& run = averaged.run.id;
    const std::string kind = fmt::format("average-{}", fmt::join(averaged.steps, "-"));
    const std::vector<CheckpointRecord> all = query->checkpoints(run);
    for (const auto& one : all)
        if (one.kind == kind && !one.damaged && !storage::areRewritten(averaged.steps, all, one.attempt) &&
            checkpointProblem(artifactsOf(database), one).empty())
            return one;
    const CheckpointWritten written = engine.averageCheckpoints(verified(*query, database, averaged));
    const std::int64_t step = averaged.steps.back();
    CheckpointRecord record{run,
                            averaged.run.attempts,
                            step,
                            kind,
                            storage::checkpointFolder(run, step, kind),
                            written.weightsSha256,
                            written.optimizerSha256,
                            written.stateSha256,
                            written.bytes};
    change([&](storage::RunStore& store) {
        store.add(record);
        store.add(storage::EventRecord{
            run, averaged.run.attempts, step, 0, storage::unixTime(), "info",
            fmt::format("{}: the mean of the weights of {} checkpoints was added", kind, averaged.steps.size()), ""});
    });
    return record;
}

EvaluatedAverage evaluateAverage(const std::string& database, const Changer& change, Engine& engine,
                                 const AverageEvaluation& asked) {
    const auto query = storage::RunQuery::open(database);
    const storage::RunRecord run = recordOf(*query, asked.run);
    EvaluatedAverage done{addAverage(database, change, engine, {run, lastSteps(*query, run, asked.count)}), {}};
    const ChosenCheckpoint chosen = chooseCheckpoint(*query, database, run, done.checkpoint.kind);
    EvaluationRequest request;
    request.spec = readRunSpec(chosen);
    request.checkpointFolder = chosen.folder();
    request.cacheFolder = defaultCacheFolder();
    request.split = asked.split;
    request.sentences = asked.split == "valid" ? request.spec.evaluate.bleuSentences : 0;  // as training does
    request.device = asked.device;
    done.report = engine.evaluate(request);
    EvaluationDone& measured = done.report.measured;
    measured.split = averagedSplit(asked.split, asked.count);
    std::erase_if(measured.values, [](const auto& value) { return value.metric.starts_with("decode_seconds"); });
    for (auto& value : measured.values)
        value.signature += fmt::format("{}averaged {} checkpoints", value.signature.empty() ? "" : "|", asked.count);
    change([&](storage::RunStore& store) {
        for (const auto& value : measured.values)
            store.add(storage::EvaluationRecord{run.id, run.attempts, done.checkpoint.step, measured.epoch, measured.split,
                                                value.metric, value.signature, value.value, value.n, measured.seconds});
    });
    return done;
}

void ensureAveragesEvaluated(const std::string& database, const std::function<std::shared_ptr<Engine>()>& engine,
                             const std::vector<AverageEvaluation>& asked) {
    const auto isMissing = [query = std::shared_ptr(storage::RunQuery::open(database))](const AverageEvaluation& one) {
        return !storage::isAverageEvaluated(*query, one.run, averagedSplit(one.split, one.count), one.count);
    };
    std::vector<AverageEvaluation> missing;
    std::copy_if(asked.begin(), asked.end(), std::back_inserter(missing), isMissing);
    if (missing.empty()) return;
    const std::shared_ptr<Engine> loaded = engine();
    const auto owner = ownDatabase(database, "heddle average", "");
    for (const AverageEvaluation& one : missing) evaluateAverage(database, changerOf(*owner), *loaded, one);
}

}  // namespace heddle::app
