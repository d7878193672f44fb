// SPDX-License-Identifier: Apache-2.0
#include "engine/run/intervention_change.h"

#include "engine/base/error.h"
#include "engine/base/json.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr const char* kAsk = "intervene";

}  // namespace

Json interventionsDocument(const std::vector<Intervention>& interventions) {
    Json document = Json::array();
    for (const Intervention& one : interventions) document.push_back(interventionDocument(one));
    return document;
}

std::vector<Intervention> readInterventions(const Json& document) {
    if (!document.is_array()) throwInvalid("no list of interventions", "interventions", "give a list, which may be empty");
    std::vector<Intervention> interventions;
    for (const Json& one : document) interventions.push_back(readIntervention(one));
    return interventions;
}

InterventionsAt readInterventionsAt(std::int64_t step, const std::string& data) {
    const Json document = parseJson(data, "the event of step " + std::to_string(step));
    return {step, readInterventions(document.is_object() ? document.value("interventions", Json()) : Json())};
}

Json interventionQuestion(const InterventionChange& change) {
    return {{"ask", kAsk}, {"add", interventionsDocument(change.add)}, {"remove", interventionsDocument(change.remove)}};
}

bool isInterventionQuestion(const Json& question) { return question.is_object() && question.value("ask", Json()) == kAsk; }

InterventionChange readInterventionChange(const Json& question) {
    if (!isInterventionQuestion(question)) throwInvalid("not a change of interventions", "ask", R"(ask "intervene")");
    return {readInterventions(question.value("add", Json::array())),
            readInterventions(question.value("remove", Json::array()))};
}

std::vector<Intervention> changedInterventions(const std::vector<Intervention>& inForce, const InterventionChange& change,
                                               const InterventionTargets& targets) {
    if (change.add.empty() && change.remove.empty())
        throw Error(ErrorCode::Usage, "nothing to add or remove", "intervene", "give at least one intervention");
    std::vector<Intervention> changed = inForce;
    for (const Intervention& one : change.remove)
        if (std::erase(changed, one) == 0)
            throw Error(ErrorCode::Usage, "\"" + sentenceOf({one}) + "\" is not in force", "intervene",
                        "in force: " + sentenceOf(inForce));
    changed.insert(changed.end(), change.add.begin(), change.add.end());
    checkInterventions(changed, targets);
    for (const Intervention& one : changed)
        if (!isForTraining(one))
            throw Error(ErrorCode::Usage,
                        kindOf(one) + " " + textOf(one) +
                            " needs outputs of a fixed set of examples, which a run in training does not have because its "
                            "weights change at every step",
                        optionOf(kindOf(one)),
                        "mute the head or clamp the gate, or measure it in a checkpoint with heddle inspect");
    return changed;
}

std::string sentenceOf(const std::vector<Intervention>& interventions) {
    std::string sentence;
    for (const Intervention& one : interventions) sentence += (sentence.empty() ? "" : ", ") + kindOf(one) + " " + textOf(one);
    return sentence.empty() ? "none" : sentence;
}

}  // namespace heddle
