// SPDX-License-Identifier: Apache-2.0
#include "engine/run/attempt_facts.h"

#include "engine/base/json.h"

#include <algorithm>

namespace heddle {
namespace {

/// Reads members of a JSON object that may hold anything.
class FactReader {
public:
    explicit FactReader(const Json& object) : object_(object) {}

    const Json* find(const char* key) const {
        if (!object_.is_object()) return nullptr;
        const auto found = object_.find(key);
        return found == object_.end() ? nullptr : &*found;
    }
    void read(const char* key, std::string& text) const {
        if (const Json* value = find(key); value && value->is_string()) text = value->get<std::string>();
    }
    void read(const char* key, bool& flag) const {
        if (const Json* value = find(key); value && value->is_boolean()) flag = value->get<bool>();
    }
    void read(const char* key, std::int64_t& number) const {
        if (const Json* value = find(key); value && value->is_number_integer()) number = value->get<std::int64_t>();
    }
    void read(const char* key, std::optional<double>& number) const {
        if (const Json* value = find(key); value && value->is_number()) number = value->get<double>();
    }
    void read(const char* key, std::vector<std::string>& texts) const {
        const Json* value = find(key);
        const auto isText = [](const Json& one) { return one.is_string(); };
        if (value && value->is_array() && std::all_of(value->begin(), value->end(), isText))
            texts = value->get<std::vector<std::string>>();
    }
    /// A count of things: never negative.
    void readCount(const char* key, std::int64_t& number) const {
        read(key, number);
        number = std::max<std::int64_t>(0, number);
    }

private:
    const Json& object_;
};

/// "command", "folder" and "git": {"commit", "dirty"}.
Surroundings readSurroundings(const FactReader& in) {
    Surroundings surroundings;
    in.read("command", surroundings.command);
    in.read("folder", surroundings.folder);
    if (const Json* git = in.find("git")) {
        const FactReader inGit(*git);
        inGit.read("commit", surroundings.commit);
        inGit.read("dirty", surroundings.isDirty);
    }
    return surroundings;
}

std::optional<StepsCaptured> readCaptured(const Json* value) {
    if (!value || !value->is_object()) return {};
    const FactReader in(*value);
    StepsCaptured captured;
    in.read("steps", captured.steps);
    in.read("captures", captured.captures);
    in.read("replays", captured.replays);
    in.read("evictions", captured.evictions);
    return captured;
}

std::optional<RunsAtOnce> readRunsAtOnce(const Json* value) {
    if (!value || !value->is_object()) return {};
    const FactReader in(*value);
    RunsAtOnce atOnce{0, 0, 0, 0};
    in.read("least", atOnce.least);
    in.read("most", atOnce.most);
    in.read("runs", atOnce.runs);
    std::optional<double> share;
    in.read("share", share);
    atOnce.share = share.value_or(0);
    return atOnce;
}

}  // namespace

AssumedVocabulary AttemptFacts::sizes() const {
    return {vocabSource > 0 ? vocabSource : vocabTarget, vocabTarget > 0 ? vocabTarget : vocabSource, classes};
}

AttemptFacts attemptFacts(const std::string& context) {
    const Json document = Json::parse(context, nullptr, false);
    const FactReader in(document);
    AttemptFacts facts;
    facts.surroundings = readSurroundings(in);
    in.read("device_name", facts.deviceName);
    in.read("precision", facts.precision);
    in.read("products", facts.products);
    in.read("data_hashes", facts.dataHashes);
    if (const Json* words = in.find("vocab_source")) facts.isDescribed = words->is_number_integer();
    in.readCount("vocab_source", facts.vocabSource);
    in.readCount("vocab_target", facts.vocabTarget);
    in.readCount("classes", facts.classes);
    in.readCount("steps_per_epoch", facts.stepsPerEpoch);
    in.read("jobs", facts.jobs);
    in.read("processes", facts.processes);
    in.read("first_step_seconds", facts.firstStepSeconds);
    facts.captured = readCaptured(in.find("captured_steps"));
    facts.runsAtOnce = readRunsAtOnce(in.find("runs_at_once"));
    return facts;
}

std::string beginningContext(const Surroundings& surroundings, int jobs, int processes) {
    Json context = Json::object();
    if (!surroundings.command.empty()) context["command"] = surroundings.command;
    if (!surroundings.folder.empty()) context["folder"] = surroundings.folder;
    if (!surroundings.commit.empty()) context["git"] = {{"commit", surroundings.commit}, {"dirty", surroundings.isDirty}};
    if (jobs > 1) context["jobs"] = jobs;  // as requested; RunsAtOnce counts
    if (processes > 1) context["processes"] = processes;
    return context.empty() ? std::string() : dumped(context);
}

}  // namespace heddle
