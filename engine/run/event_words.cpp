// SPDX-License-Identifier: Apache-2.0
#include "engine/run/event_words.h"

#include "engine/base/printable.h"
#include "engine/run/intervention_change.h"

#include <cmath>

namespace heddle {

EventWords wordsOf(const AttemptDescribed& e) {
    Json data{{"seed", std::to_string(e.seed)},  // a text: JSON readers round numbers of 64 bits
              {"variant_hash", e.variantHash},
              {"run_hash", e.runHash},
              {"data_hashes", e.dataHashes},
              {"tokenizer_hashes", e.tokenizerHashes},
              {"vocab_source", e.vocabSource},
              {"vocab_target", e.vocabTarget},
              {"threads", e.threads},
              {"deterministic", e.deterministic},
              {"device", e.device},
              {"device_name", e.deviceName},
              {"precision", e.precision},
              {"products", e.products},
              {"graphs", e.graphs},
              {"batch_round", e.batchRound},
              {"torch", e.torch},
              {"parameters", e.parameters},
              {"train_pairs", e.trainPairs},
              {"steps_per_epoch", e.stepsPerEpoch},
              {"total_steps", e.totalSteps},
              {"task", e.task}};
    if (!e.classesHash.empty()) data["classes_hash"] = e.classesHash;
    if (e.classes > 0) data["classes"] = e.classes;
    if (!e.synthetic.empty()) data["synthetic"] = e.synthetic;
    return {"info", kAttemptText, std::move(data)};
}

EventWords wordsOf(const ModelBuilt& e) {
    Json modules = Json::array();
    std::int64_t parameters = 0;
    for (const BuiltModule& module : e.modules) {
        modules.push_back({{"path", module.path}, {"block", module.block}, {"parameters", module.parameters}});
        parameters += module.parameters;
    }
    return {kModelEvent,
            "built " + std::to_string(e.modules.size()) + " modules with " + std::to_string(parameters) + " parameters",
            {{"modules", std::move(modules)}}};
}

EventWords wordsOf(const StartedFrom& e) {
    Json data{{"taken", e.taken}, {"drawn", e.drawn}, {"neutral", e.neutral}, {"frozen", e.frozen}};
    if (e.run.empty() && e.step.empty()) return {"start", "weights were drawn", std::move(data)};
    data.update({{"run", e.run}, {"step", e.step}, {"weights_sha256", e.weightsSha256}});
    if (!e.note.empty()) data["note"] = e.note;
    std::string text = "starts from " + e.run + ", " + e.step + ": " + std::to_string(e.taken.size()) + " tensors taken, " +
                       std::to_string(e.drawn.size() + e.neutral.size()) + " new";
    if (!e.neutral.empty()) text += "; without effect at first: " + listedNames(e.neutral);
    if (!e.drawn.empty()) text += "; drawn at random: " + listedNames(e.drawn);
    if (!e.note.empty()) text += "; " + e.note;
    return {"start", std::move(text), std::move(data)};
}

EventWords wordsOf(const StateRestored& e) {
    return {"resume",
            e.isSameSpec ? "state restored exactly" : "state restored; the run spec differs from the checkpoint's",
            {{"step", e.step}, {"epoch", e.epoch}, {"batch", e.batch}, {"same_spec", e.isSameSpec}}};
}

EventWords wordsOf(const Intervened& e) {
    std::string text = "interventions from the next step on: " + sentenceOf(e.inForce);
    if (!e.added.empty()) text += "; added: " + sentenceOf(e.added);
    if (!e.removed.empty()) text += "; undone: " + sentenceOf(e.removed);
    return {kInterventionEvent,
            std::move(text),
            {{"interventions", interventionsDocument(e.inForce)},
             {"added", interventionsDocument(e.added)},
             {"removed", interventionsDocument(e.removed)}}};
}

EventWords wordsOf(const TokenizerReported& e) { return {"data", e.report.line(), e.report.json()}; }

EventWords wordsOf(const FirstStepDone& e) {
    return {"info",
            "first step after " + std::to_string(std::lround(1e3 * e.seconds)) + " ms",
            {{"first_step_seconds", e.seconds}}};
}

EventWords wordsOf(const StepsCaptured& e) {
    return {"info",
            std::to_string(e.replays) + " of " + std::to_string(e.steps) + " steps replayed captured graphs (" +
                std::to_string(e.captures) + " captured, " + std::to_string(e.evictions) + " evicted)",
            {{"captured_steps",
              {{"steps", e.steps}, {"captures", e.captures}, {"replays", e.replays}, {"evictions", e.evictions}}}}};
}

EventWords wordsOf(const MemoryMeasured& e) {
    return {"memory", "peak resident memory " + std::to_string(e.peakBytes >> 20) + " MiB", {{"peak_bytes", e.peakBytes}}};
}

EventWords wordsOf(const RunsAtOnce& e) {
    const std::string range =
        e.least == e.most ? std::to_string(e.most) : std::to_string(e.least) + " to " + std::to_string(e.most);
    return {"info",
            "runs trained at once: " + range,
            {{"runs_at_once", {{"least", e.least}, {"most", e.most}, {"runs", e.runs}, {"share", e.share}}}}};
}

EventWords wordsOf(const ScalarsThinned& e) {
    const std::string text = e.keptOneOf == 1
                                 ? "recording is back to full density"
                                 : "the recorder is behind: one of " + std::to_string(e.keptOneOf) + " recorded steps is kept";
    return {"gap", text, {{"from_step", e.fromStep}, {"kept_one_of", e.keptOneOf}}};
}

EventWords wordsOf(const DecodingWithoutCache& e) {
    return {"decoding",
            "translations are decoded without a cache, every position over the whole prefix: " + e.obstacle,
            {{"obstacle", e.obstacle}}};
}

EventWords wordsOf(const SlowPrecision& e) {
    return {"warning",
            "on this processor products in bfloat16 take " + std::to_string(std::lround(100 / e.gain)) +
                " % of the time of float32: train.precision fp32 would be faster and more exact",
            {{"bfloat16_gain", e.gain}}};
}

EventWords wordsOf(const CheckpointSkipped& e) {
    const std::string lastGood = e.lastGoodStep >= 0 ? "last good step: " + std::to_string(e.lastGoodStep) : "none written yet";
    return {"warning",
            "checkpoint skipped, " + e.problem + "; " + lastGood + "; " + e.next,
            {{"folder", e.folder}, {"bytes_needed", e.bytesNeeded}, {"last_good_step", e.lastGoodStep}}};
}

EventWords wordsOf(const BestCheckpointUnreadable& e) {
    return {"warning", "test split not evaluated, the best checkpoint cannot be read: " + e.problem, {{"best_step", e.step}}};
}

EventWords wordsOf(const DataWarning& e) { return {"warning", e.text, {{"about", "data"}}}; }

EventWords wordsOf(const Remark& e) {
    switch (e.kind) {
    case Remark::Kind::Info: return {"info", e.text};
    case Remark::Kind::Data: return {"data", e.text};
    case Remark::Kind::Warning: return {"warning", e.text};
    }
    return {"info", e.text};
}

EventWords wordsOf(const Failure& e) {
    return {"failure", e.what, {{"exit_code", e.exitCode}, {"where", e.where}, {"safe", e.safe}, {"next", e.next}}};
}

int exitCodeIn(const std::string& data) {
    const Json facts = parseJson(data, "the recorded failure of a run");
    const Json code = facts.is_object() ? facts.value("exit_code", Json()) : Json();
    return code.is_number_integer() ? code.get<int>() : 0;
}

bool concernsData(const std::string& data) {
    const Json facts = Json::parse(data, nullptr, false);
    return facts.is_object() && facts.value("about", Json()) == "data";
}

double replacedNote(const std::string& data) {
    const Json facts = Json::parse(data, nullptr, false);
    const Json at = facts.is_object() ? facts.value("replaces", Json()) : Json();
    return at.is_number() ? at.get<double>() : 0;
}

}  // namespace heddle
