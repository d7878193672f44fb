// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/processes.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/run/build_identity.h"
#include "engine/run/intervention_change.h"
#include "engine/spec/catalogue.h"

#include <ATen/Version.h>
#include <torch/version.h>

#include <exception>
#include <utility>

namespace heddle {
namespace {

std::string processName(std::size_t rank) { return "process " + std::to_string(rank); }

/// Where two values first differ: "/train/lr 0.1, but process 0 has 0.2".
std::string differenceOf(const Json& own, const Json& leaders) {
    if (!own.is_structured() || !leaders.is_structured()) return own.dump() + ", but process 0 has " + leaders.dump();
    const std::string path = Json::diff(leaders, own).front().at("path");
    const Json::json_pointer place(path);
    const auto at = [&](const Json& document) { return document.contains(place) ? document.at(place).dump() : "nothing"; };
    return path + " " + at(own) + ", but process 0 has " + at(leaders);
}

/// Throws for the first process whose facts differ from those of rank 0. `next`: what to do, by the fact's name.
void requireEqual(const std::vector<Json>& facts, const Json& next) {
    for (std::size_t rank = 1; rank < facts.size(); ++rank)
        for (const auto& [name, value] : facts.front().items()) {
            const Json own = facts[rank].value(name, Json());
            if (value.is_null() || own.is_null() || own == value) continue;
            throwInvalid("the processes of the run do not agree: " + name + " " + differenceOf(own, value), processName(rank),
                         next.value(name, "start all processes with the same command, program and files"));
        }
}

std::vector<Json> exchangeFacts(Group& group, const Json& own) {
    std::vector<Json> facts;
    for (const std::string& text : group.exchange(own.dump())) facts.push_back(Json::parse(text));
    return facts;
}

Json failureOf(const Error& error) {
    return {{"code", static_cast<int>(error.code())}, {"what", error.problem()}, {"next", error.next()}};
}

/// What must be equal besides the spec.
Json factsOf(const Setup& setup) {
    return {{"data", setup.identity.at("data_hashes")},
            {"run", setup.identity.at("run_hash")},
            {"tokenizers", setup.identity.at("tokenizer_hashes")},
            {"steps of an epoch", setup.stepsPerEpoch},
            {"parameters", setup.model->parameters().count()},
            {"device", setup.device.is_cuda() ? "cuda" : "cpu"},
            {"precision", wordOf(setup.precision)},
            {"threads", setup.threads},
            {"instructions", at::get_cpu_capability()}};
}

}  // namespace

std::shared_ptr<Group> meet(const JoinRequest& joined) {
    std::shared_ptr<Group> group = joinGroup(joined.place);
    if (group->isAlone()) return group;
    const auto facts = exchangeFacts(*group, {{"program", HEDDLE_VERSION},
                                              {"build", std::to_string(engineIdentity())},
                                              {"LibTorch", TORCH_VERSION},
                                              {"spec", joined.spec ? joined.spec->toJson() : Json()}});
    requireEqual(facts, {{"spec", "start all processes with the same spec and options"}});
    return group;
}

void shareRequest(Group& group, const TrainRequest& request) {
    if (group.isAlone()) return;
    Json journal = Json::array();
    for (const InterventionsAt& one : request.interventions)
        journal.push_back({{"step", one.step}, {"interventions", interventionsDocument(one.inForce)}});
    group.exchange(Json{{"run", request.runId},
                        {"attempt", request.attempt},
                        {"spec", request.spec.toJson()},
                        {"folder", request.runFolder},
                        {"from", request.resumeFrom},
                        {"precision", wordOf(request.precision)},
                        {"journal", std::move(journal)}}
                       .dump());
}

TrainRequest requestOfLeader(Group& group, const JoinRequest& joined) {
    const Json told = Json::parse(group.exchange("").front());
    TrainRequest request;
    request.runId = told.at("run");
    request.attempt = told.at("attempt");
    request.spec = RunSpec::parse(told.at("spec"), builtinCatalogue());
    request.runFolder = told.at("folder");
    request.cacheFolder = joined.cacheFolder;
    request.resumeFrom = told.at("from");
    request.precision = choiceNamed<Precision>(told.at("precision").get<std::string>()).value();
    for (const Json& one : told.at("journal"))
        request.interventions.push_back({one.at("step"), readInterventions(one.at("interventions"))});
    request.processes = joined.place;
    return request;
}

Setup prepareTogether(const std::shared_ptr<Group>& group, const TrainRequest& request, const std::function<Setup()>& prepare) {
    if (group->isAlone()) return prepare();
    std::exception_ptr problem;
    Json own;
    Setup setup;
    try {
        if (request.spec.train.accumulate < group->place().size)
            throwUsage("a step has fewer micro-batches than there are processes",
                       "train.accumulate " + std::to_string(request.spec.train.accumulate) + ", " +
                           std::to_string(group->place().size) + " processes",
                       "set train.accumulate to a multiple of the number of processes");
        setup = prepare();
        own = factsOf(setup);
    } catch (const Error& error) {
        problem = std::current_exception();
        own = {{"failed", failureOf(error)}};
    } catch (const std::exception& error) {
        problem = std::current_exception();
        own = {{"failed", failureOf(Error(ErrorCode::Failure, error.what(), "", ""))}};
    }
    const auto facts = exchangeFacts(*group, own);
    if (problem) std::rethrow_exception(problem);
    for (std::size_t rank = 0; rank < facts.size(); ++rank)
        if (const auto failed = facts[rank].find("failed"); failed != facts[rank].end())
            throw Error(static_cast<ErrorCode>(failed->at("code").get<int>()), failed->at("what"), processName(rank),
                        failed->at("next"));
    requireEqual(facts, {{"data", "give all processes the same data files"},
                         {"run", "give all processes the same data files"},
                         {"threads", "set train.threads, or start as many processes on each machine"},
                         {"instructions", "use machines with equal processors: others round sums in another way"}});
    setup.group = group;
    return setup;
}

TrainOutcome tellingFailure(Group& group, const std::function<TrainOutcome()>& train) {
    const auto tell = [&](const Error& error) {
        if (error.code() == ErrorCode::Resumable) return;  // a process is lost: the others notice that themselves
        try {
            group.tell({Word::Kind::Failed, {}, failureOf(error).dump()});
        } catch (const Error&) {  // the failure itself is what matters
        }
    };
    try {
        return train();
    } catch (const Error& error) {
        tell(error);
        throw;
    } catch (const std::exception& error) {
        tell(Error(ErrorCode::Failure, error.what(), "", ""));
        throw;
    }
}

}  // namespace heddle
