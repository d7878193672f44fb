// SPDX-License-Identifier: Apache-2.0
#include "app/study/control_rows.h"

#include "engine/base/check.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/run/attempt_facts.h"
#include "engine/spec/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace heddle::app {
namespace {

constexpr const char* kTimeAgain =
    "delete those first runs (heddle runs delete) and give the study again, on one machine with the same device, train.threads "
    "and --jobs; or leave the control out";

PlanRow& rowOf(Study& study, const std::string& name) {
    const auto found = std::find_if(study.rows.begin(), study.rows.end(), [&](const PlanRow& row) { return row.name == name; });
    HEDDLE_CHECK(found != study.rows.end());
    return *found;
}

/// The facts of a row's model. Throws Error(InvalidInput) for a row without a valid one.
Facts factsOfRow(const PlanRow& row, const AssumedVocabulary& assumed, const std::string& file) {
    try {
        if (Facts facts = factsOf(documentOf(row), assumed)) return facts;
    } catch (const Error& error) {
        throw Error(error.code(), error.problem(), fmt::format("{}, row \"{}\", {}", file, row.name, error.where()),
                    error.next());
    }
    throwInvalid("no control can be created because the variant is not valid", fmt::format("{}, row \"{}\"", file, row.name),
                 "heddle variants check shows the problems");
}

/// Whether a size that only the data tell is part of the model.
bool usesAssumption(const DraftFacts& facts) {
    if (facts.sourceAssumed || facts.targetAssumed) return true;
    if (facts.spec.statedClasses()) return false;
    ResolvedVariant other = facts.variant;
    ++other.dims.classes;
    return countCost(other).parameters != facts.cost.parameters;
}

/// The sizes of the baseline as it is: a control matched in time differs from it in its number of steps alone.
ControlSize untimed(Study& study, const StudyControl& control, const AssumedVocabulary& assumed, const std::string& file) {
    for (const std::string& name : {study.baseline, control.of}) {
        const Json document = documentOf(rowOf(study, name));
        const Json::json_pointer patience("/train/early_stopping/patience");
        if (document.contains(patience) && document.at(patience) != 0)
            throwInvalid(fmt::format("a run of \"{}\" may stop early, so its training time has no fixed number of steps", name),
                         fmt::format("{}, control of \"{}\" in time", file, control.of),
                         "set train.early_stopping.patience=0 in both rows, or remove the control");
    }
    const Facts of = factsOfRow(rowOf(study, control.of), assumed, file);
    const Facts own = factsOfRow(rowOf(study, study.baseline), assumed, file);
    rowOf(study, study.rowOf(control)).spec = Json();
    return {study.rowOf(control),
            control.of,
            control.match,
            own->variant.dims.f,
            own->cost.parameters,
            of->cost.parameters,
            own->flops,
            of->flops,
            usesAssumption(*own) || usesAssumption(*of)};
}

ControlSize sizeOne(Study& study, const StudyControl& control, const AssumedVocabulary& assumed, const std::string& file) {
    const PlanRow& baseline = rowOf(study, study.baseline);
    const Facts ofVariant = factsOfRow(rowOf(study, control.of), assumed, file), of = factsOfRow(baseline, assumed, file);
    const bool byParameters = control.match == ControlMatch::Parameters;
    const std::string where = fmt::format("{}, control of \"{}\"", file, control.of);
    const char* const quantity = byParameters ? "parameters" : "FLOPs a token";
    const double wanted = byParameters ? double(ofVariant->cost.parameters) : ofVariant->flops;
    const auto found =
        matchedControl(documentOf(baseline), wanted, assumed, byParameters ? Budget::Parameters : Budget::FlopsPerToken);
    if (!found)
        throwInvalid(
            fmt::format("no feed-forward width gives \"{}\" as many {} as \"{}\"", study.baseline, quantity, control.of), where,
            "remove the control, or define it as a row");
    if (found->width == of->variant.dims.f)
        throwInvalid(fmt::format("\"{}\" already matches the number of {} of \"{}\" as closely as its width allows",
                                 study.baseline, quantity, control.of),
                     where, "remove the control; the baseline serves as one");
    PlanRow& row = rowOf(study, study.rowOf(control));
    row.spec = baseline.spec;
    row.set = baseline.set;
    row.set.push_back(fmt::format("dims.f={}", found->width));
    const Facts sized = factsOfRow(row, assumed, file);
    return {row.name,
            control.of,
            control.match,
            found->width,
            sized->cost.parameters,
            ofVariant->cost.parameters,
            sized->flops,
            ofVariant->flops,
            usesAssumption(*sized) || usesAssumption(*ofVariant)};
}

}  // namespace

std::vector<ControlSize> sizeControls(Study& study, const AssumedVocabulary& assumed, bool isKnown, const std::string& file) {
    std::vector<ControlSize> sizes;
    for (const StudyControl& control : study.controls) {
        const bool isTimed = control.match == ControlMatch::Time;
        sizes.push_back(isTimed ? untimed(study, control, assumed, file) : sizeOne(study, control, assumed, file));
        if (isKnown) sizes.back().isAssumed = false;
    }
    return sizes;
}

void setTimes(Study& study, std::vector<ControlSize>& controls, const std::map<std::string, StepTimes>& times) {
    const StepTimes& baseline = times.at(study.baseline);
    std::set<std::int64_t> taken{baseline.steps};
    for (ControlSize& control : controls) {
        if (control.match != ControlMatch::Time) continue;
        const StepTimes& variant = times.at(control.of);
        control.problem.clear();
        control.next.clear();
        if (!baseline.problem.empty() || !variant.problem.empty())
            control.problem = baseline.problem.empty()
                                  ? fmt::format("the first run of {} {}", control.of, variant.problem)
                                  : fmt::format("the first run of {} {}", study.baseline, baseline.problem);
        else if (baseline.place != variant.place)
            control.problem = fmt::format("the first run of {} was trained on {}, that of {} on {}", study.baseline,
                                          baseline.place, control.of, variant.place);
        if (!control.problem.empty()) {
            const StepTimes& without = baseline.problem.empty() ? variant : baseline;
            control.next = without.next.empty() ? kTimeAgain : without.next;
            continue;
        }
        const double steps = double(variant.steps) * variant.seconds / baseline.seconds;
        control.steps = std::max<std::int64_t>(std::llround(steps), 1);
        for (control.raised = 0; !taken.insert(control.steps).second; ++control.raised) ++control.steps;
        control.stepsOf = variant.steps;
        control.secondsBaseline = baseline.seconds;
        control.secondsOf = variant.seconds;
        control.measuredOn = baseline.place;
        const PlanRow& own = rowOf(study, study.baseline);
        PlanRow& row = rowOf(study, control.row);
        row.spec = own.spec;
        row.set = own.set;
        row.set.emplace_back("train.epochs=0");
        row.set.push_back(fmt::format("train.steps={}", control.steps));
    }
}

std::optional<AssumedVocabulary> sizesFoundBy(storage::RunQuery& query, const std::string& run) {
    for (const auto& attempt : query.attempts(run)) {
        const AttemptFacts facts = attemptFacts(attempt.context);
        if (facts.isDescribed) return facts.sizes();
    }
    return {};
}

}  // namespace heddle::app
