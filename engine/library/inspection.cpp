// SPDX-License-Identifier: Apache-2.0
#include "engine/library/sessions.h"

#include "engine/base/cancellation.h"
#include "engine/base/error.h"
#include "engine/data/batching/encoded_corpus.h"
#include "engine/data/loading/run_data.h"
#include "engine/decode/lines.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/library/effects.h"
#include "engine/library/head_scores.h"
#include "engine/library/lens.h"
#include "engine/library/mass.h"
#include "engine/library/observation.h"
#include "engine/library/opened_model.h"
#include "engine/library/patching.h"
#include "engine/library/shown_targets.h"
#include "engine/model/intervened_model.h"
#include "engine/model/patched_model.h"
#include "engine/spec/task_kinds.h"
#include "engine/tasks/labelling.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/evaluation.h"
#include "engine/train/loop/identity.h"
#include "engine/train/loop/reports.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kNoOther = "there is only one example";

double secondsSince(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

class Inspector final : public InspectionSession {
public:
    explicit Inspector(const InspectionRequest& request)
        : request_(request),
          opened_(openModel(request.spec, request.runFolder, request.checkpointFolder, request.device)),
          targets_(interventionTargets(opened_.model->variant())) {
        dropUnshown(targets_, *opened_.model, opened_.device);
    }

    const InterventionTargets& targets() override { return targets_; }

    EffectReport effect(const EffectRequest& request) override {
        const auto began = Clock::now();
        checkInterventions(request.interventions, targets_);
        const bool decodes = request.depth == EffectRequest::Depth::Decoded;
        if (decodes && loaded().task->decodes())
            refuseResample(request.interventions, "the rows that are decoded are not those of a batch", "leave --decode out");
        const Measured& trained = measureTrained(request.on, decodes ? Depth::Decoded : Depth::Scored);
        EffectReport report{request.on.split, exampleCount(*trained.corpus), trained.values, {}, {}, warningsOf(trained), 0};
        if (!request.interventions.empty()) {
            const Measured changed = measureChanged(request.interventions, trained);
            report.metrics = metricEffects(trained.of(), changed.of());
            report.outputs = outputEffects(trained.evaluation, changed.evaluation);
            for (const auto& some :
                 {rangeWarnings(request.interventions, targets_), aloneWarnings(request.interventions, *trained.corpus)})
                report.warnings.insert(report.warnings.end(), some.begin(), some.end());
        }
        report.seconds = secondsSince(began);
        return report;
    }

    RankReport rank(const RankRequest& request) override {
        const auto began = Clock::now();
        const std::vector<Intervention> candidates = rankedInterventions(request, targets_);
        const Measured& trained = measureTrained(request.on, Depth::Scored);
        RankReport report{request.on.split,
                          exampleCount(*trained.corpus),
                          trained.values,
                          {},
                          std::ssize(candidates),
                          warningsOf(trained),
                          0};
        for (const auto& some : {leftOutWarnings(request, targets_), aloneWarnings(candidates, *trained.corpus)})
            report.warnings.insert(report.warnings.end(), some.begin(), some.end());
        const std::optional<OutputSums> sums = sumsOf(candidates, *trained.corpus);
        const OutputMeans means = sums ? sums->means() : OutputMeans();
        for (const Intervention& candidate : candidates) {
            const std::optional<Measured> changed = sums ? tryMeasure({candidate}, trained, means) : std::nullopt;
            if (!changed) break;
            report.entries.push_back(rankEntry(candidate, metricEffects(trained.of(), changed->of(), report.all)));
            if (request.progress) request.progress(std::ssize(report.entries), report.all);
        }
        correctForAll(report);
        if (!means.empty()) addMass(report, *sums, opened_.model->variant());
        sortByCost(report.entries);
        report.seconds = secondsSince(began);
        return report;
    }

    TextEffect outputs(const TextRequest& request) override {
        checkInterventions(request.interventions, targets_);
        refuseResample(request.interventions, kNoOther, "leave --text out");
        auto [trained, trainedShares] = outputOf(*opened_.model, request);
        const OutputMeans means = meansOn(request.on, request.interventions);
        const NeutralWeights neutral(*opened_.model, request.interventions);
        const IntervenedModel changed(*opened_.model, request.interventions, means);
        auto [intervened, intervenedShares] = outputOf(changed, request);
        return {std::move(trained), std::move(intervened), opened_.data.classes, std::move(trainedShares),
                std::move(intervenedShares)};
    }

    Observation observe(const ObservationRequest& request) override {
        checkInterventions(request.interventions, targets_);
        refuseResample(request.interventions, kNoOther, "measure its effect on examples");
        if (!OutputSums(request.interventions, opened_.model->variant()).empty())
            throw Error(ErrorCode::Usage, "a mean is over many examples, and one sentence is looked at", "--mean",
                        "measure its effect on examples, or mute the head");
        const std::string target = request.text.empty() ? "" : targetOf(request);  // by the model as it was trained
        const NeutralWeights neutral(*opened_.model, request.interventions);
        const IntervenedModel changed(*opened_.model, request.interventions);
        const ComputePlace place{opened_.device, opened_.precision};
        Observation made;
        if (request.text.empty()) {
            requireOwn("valid");
            const EncodedCorpus& valid = loaded().data.valid;
            if (request.example < 0 || request.example >= valid.size())
                throw Error(ErrorCode::Usage, "no example " + std::to_string(request.example), "example",
                            "choose one of 0 … " + std::to_string(valid.size() - 1));
            const auto at = static_cast<std::size_t>(request.example);
            if (at < valid.sourceText.size()) made.input = valid.sourceText[at];
            if (at < valid.targetText.size()) made.reference = valid.targetText[at];
            const SentenceInput sentence = sentenceOf(loaded().data, valid, *loaded().task, request.example);
            addPass(changed, *loaded().task, loaded().data, sentence, place, made);
        } else {
            made.input = request.text;
            made.reference = request.target;
            const SentenceInput sentence = sentenceOfText(opened_, request.text, target);
            addPass(changed, *opened_.task, opened_.data, sentence, place, made);
        }
        if (!made.input.empty() && writesText())
            made.output = outputOf(changed, {made.input, request.interventions, request.search}).text;
        return made;
    }

    LensReport lens(const LensRequest& request) override {
        const auto began = Clock::now();
        const std::string stack = lensStack(opened_.spec, opened_.model->variant());
        const std::shared_ptr<const EncodedCorpus> corpus = corpusOf(request.on);
        const DecodeOptions how = options();
        LensReport report{request.on.split, exampleCount(*corpus), 0, {}, warningsOfSplit(request.on.split), 0};
        if (!readLayers({*opened_.model, *loaded().task, *corpus, how}, stack, report)) throwStopped("reading the layers");
        report.seconds = secondsSince(began);
        return report;
    }

    LabelsReport labels(const LabelsRequest& request) override {
        const auto began = Clock::now();
        const std::shared_ptr<const EncodedCorpus> corpus = corpusOf(request.on);
        const RunData& data = loaded().data;
        const DecodeOptions how = options();
        const ModelOnExamples on{*opened_.model, *loaded().task, *corpus, how};
        const HeadScoring scoring{on, data, exampleCount(request.on.split == "valid" ? data.valid : data.test), request,
                                  taskKind(opened_.spec.data.task)};
        LabelsReport report{request.on.split, exampleCount(*corpus), {}, warningsOfSplit(request.on.split), 0};
        if (!scoreHeads(scoring, report)) throwStopped("scoring the heads");
        report.seconds = secondsSince(began);
        return report;
    }

    PatchReport patch(const PatchRequest& request) override {
        const auto began = Clock::now();
        const OpenedModel donor = openModel(request.spec, request.runFolder, request.checkpointFolder, request_.device);
        requireSameShape(opened_, donor);
        const Measured& trained = measureTrained(request.on, Depth::Scored);
        Measured other = unmeasured(trained);
        if (!evaluate(*donor.model, other)) throwStopped("measuring the other model");
        const std::vector<PatchedPart> parts = patchableParts(targets_);
        PatchReport report = patchReport(metricEffects(trained.of(), other.of()));
        report.split = request.on.split, report.examples = exampleCount(*trained.corpus);
        report.all = std::ssize(parts), report.warnings = warningsOf(trained);
        for (const PatchedPart& part : parts) {
            Measured patched = unmeasured(trained);
            if (!evaluate(PatchedModel(*opened_.model, *donor.model, part), patched)) break;
            addEntry(report, part, metricEffects(trained.of(), patched.of(), report.all));
            if (request.progress) request.progress(std::ssize(report.entries), report.all);
        }
        finish(report);
        report.seconds = secondsSince(began);
        return report;
    }

    TextPatchReport patchText(const TextPatchRequest& request) override {
        const auto began = Clock::now();
        requireAnswer(opened_.spec);
        std::string prefix;  // of the output, in front of the answer
        if (taskKind(opened_.spec.data.task).target == TaskKind::Target::Translation)
            prefix = commonWords(outputOf(*opened_.model, {request.clean, {}}).text,
                                 outputOf(*opened_.model, {request.corrupt, {}}).text);
        const TextPair texts{sentenceOfText(opened_, request.clean, prefix), sentenceOfText(opened_, request.corrupt, prefix)};
        TextPatchReport report = patchTexts(opened_, texts, patchableParts(targets_));
        report.prefix = std::move(prefix);
        report.seconds = secondsSince(began);
        return report;
    }

private:
    bool writesText() const {
        const TaskKind& kind = taskKind(opened_.spec.data.task);
        return kind.input == TaskKind::Input::Text && kind.target != TaskKind::Target::MaskedTokens &&
               kind.target != TaskKind::Target::CleanTokens;
    }

    /// Where the request has no translation: as the trained model writes it, so that a change does not change the sentence.
    std::string targetOf(const ObservationRequest& request) {
        const bool translates = taskKind(opened_.spec.data.task).target == TaskKind::Target::Translation;
        if (!request.target.empty() || !translates) return request.target;
        return outputOf(*opened_.model, {request.text, {}, request.search}).text;
    }

    struct Loaded {
        RunData data;
        std::unique_ptr<Task> task;
        Json identity;
    };
    /// A model on some examples.
    struct Measured {
        ExampleSet on;
        Depth depth = Depth::Scored;
        std::shared_ptr<const EncodedCorpus> corpus;
        Evaluation evaluation;
        std::vector<EvaluationDone::Value> values;
        MeasuredModel of() const { return {values, evaluation.examples, evaluation.metrics}; }
    };
    struct Output {
        std::string text;
        std::vector<float> probabilities;
    };

    const Loaded& loaded() {
        if (loaded_) return *loaded_;
        const std::string& checkpoint = request_.checkpointFolder;
        Json identity = readCheckpointIdentity(checkpoint);
        const DataFolders folders{request_.cacheFolder, tokenizerFolderOf(checkpoint), recordedFiles(identity, checkpoint)};
        RunData data = loadRunData(opened_.spec, folders, request_.stopRequested);
        auto task = makeTask(opened_.spec, data);
        loaded_ = Loaded{std::move(data), std::move(task), std::move(identity)};
        return *loaded_;
    }

    /// Throws unless the split is the one that the run was trained with; returns warnings of other files.
    std::vector<std::string> requireOwn(const std::string& split) {
        return requireOwnExamples(loaded().identity, opened_.spec, loaded().data.dataHashes, split);
    }

    std::shared_ptr<const EncodedCorpus> corpusOf(const ExampleSet& on) {
        if (on.split != "valid" && on.split != "test")
            throw Error(ErrorCode::Usage, "unknown split \"" + on.split + "\"", "--split", "choose valid or test");
        const EncodedCorpus& whole = on.split == "valid" ? loaded().data.valid : loaded().data.test;
        requireOwn(on.split);
        if (whole.size() == 0)
            throwInvalid("the run's spec has no " + on.split + " data", "data." + on.split, "choose the other split");
        if (on.examples <= 0 || on.examples >= exampleCount(whole)) return {std::shared_ptr<void>(), &whole};
        return std::make_shared<const EncodedCorpus>(examplesOf(whole, 0, on.examples));
    }

    DecodeOptions options() const {
        DecodeOptions options{opened_.device, opened_.precision};
        if (request_.stopRequested) options.interrupted = request_.stopRequested;
        options.search = searchOf(opened_.spec.evaluate);
        if (opened_.spec.train.graphs) options.makeGraph = deviceGraphsOf(opened_.device);
        return options;
    }

    /// The trained model's, measured once for a set of examples.
    const Measured& measureTrained(const ExampleSet& on, Depth depth) {
        if (trained_ && trained_->on == on && trained_->depth == depth) return *trained_;
        Measured measured{on, depth, corpusOf(on), {}, {}};
        if (!evaluate(*opened_.model, measured)) throwStopped("measuring the trained model");
        trained_ = std::move(measured);
        return *trained_;
    }

    /// The trained model's, for every MeanOutput in the list; nothing if it was interrupted.
    std::optional<OutputSums> sumsOf(const std::vector<Intervention>& interventions, const EncodedCorpus& corpus) {
        OutputSums sums(interventions, opened_.model->variant());
        if (sums.empty()) return sums;
        const IntervenedModel summed(*opened_.model, sums);
        if (!Evaluator(summed, *loaded().task, options()).evaluate(corpus, Depth::Scored)) return std::nullopt;
        return sums;
    }

    OutputMeans meansOn(const ExampleSet& on, const std::vector<Intervention>& interventions) {
        if (OutputSums(interventions, opened_.model->variant()).empty()) return {};  // the data may be gone
        const std::optional<OutputSums> sums = sumsOf(interventions, *corpusOf(on));
        if (!sums) throwStopped("measuring the means");
        return sums->means();
    }

    static bool resamples(const std::vector<Intervention>& interventions) {
        return std::any_of(interventions.begin(), interventions.end(),
                           [](const Intervention& one) { return std::holds_alternative<ResampleOutput>(one); });
    }
    static void refuseResample(const std::vector<Intervention>& interventions, const char* why, const char* next) {
        if (resamples(interventions))
            throw Error(ErrorCode::Usage, std::string("resampling is not possible here: ") + why, "--resample",
                        std::string(next) + ", or use --mean");
    }

    /// Of examples whose batch has no other.
    std::vector<std::string> aloneWarnings(const std::vector<Intervention>& interventions, const EncodedCorpus& corpus) {
        if (!resamples(interventions)) return {};
        const auto batches = Evaluator(*opened_.model, *loaded().task, options()).batches(corpus);
        const auto alone = std::count_if(batches.begin(), batches.end(), [](const auto& batch) { return batch.size() == 1; });
        if (alone == 0) return {};
        return {"Examples alone in their batch keep their own outputs: " + std::to_string(alone) +
                ". Measure more examples, or use --mean."};
    }

    /// For another model on the same examples.
    static Measured unmeasured(const Measured& trained) { return {trained.on, trained.depth, trained.corpus, {}, {}}; }

    std::optional<Measured> tryMeasure(const std::vector<Intervention>& interventions, const Measured& trained,
                                       const OutputMeans& means) {
        if (trained.evaluation.oneByOne)
            refuseResample(interventions, "the loss of this task is measured one example at a time", "mute the head");
        Measured measured = unmeasured(trained);
        const NeutralWeights neutral(*opened_.model, interventions);
        const IntervenedModel changed(*opened_.model, interventions, means);
        if (!evaluate(changed, measured)) return std::nullopt;
        return measured;
    }

    Measured measureChanged(const std::vector<Intervention>& interventions, const Measured& trained) {
        const std::optional<OutputSums> sums = sumsOf(interventions, *trained.corpus);
        if (!sums) throwStopped("measuring the means");
        std::optional<Measured> measured = tryMeasure(interventions, trained, sums->means());
        if (!measured) throwStopped("measuring the changed model");
        return std::move(*measured);
    }

    /// False when it was interrupted.
    bool evaluate(const Model& model, Measured& measured) {
        const Task& task = *loaded().task;
        Evaluator evaluator(model, task, options());
        evaluator.keepExamples();
        std::optional<Evaluation> evaluation = evaluator.evaluate(*measured.corpus, measured.depth);
        if (!evaluation) return false;
        measured.values = evaluationDone(measured.on.split, 0, task, *evaluation).values;
        measured.evaluation = std::move(*evaluation);
        return true;
    }

    std::vector<std::string> warningsOfSplit(const std::string& split) {
        std::vector<std::string> warnings = requireOwn(split);
        for (const std::string& one : warningsOfData(loaded().data, split)) warnings.push_back(one);
        return warnings;
    }

    std::vector<std::string> warningsOf(const Measured& trained) {
        std::vector<std::string> warnings = trained.evaluation.metrics.warnings;
        for (const std::string& one : warningsOfSplit(trained.on.split)) warnings.push_back(one);
        return warnings;
    }

    Output outputOf(const Model& model, const TextRequest& request) const {
        const TaskKind& task = taskKind(opened_.spec.data.task);
        DecodeRequest decode;
        decode.lines = {request.text};
        decode.search = request.search;
        const auto best = [](std::vector<DecodedLine> lines) { return std::move(lines.at(0).hypotheses.at(0).text); };
        const RunData& data = opened_.data;
        if (task.target == TaskKind::Target::Translation)
            return {best(translateLines(model, {*data.sourceTokenizer, *data.targetTokenizer}, decode, options())), {}};
        if (task.target == TaskKind::Target::NextToken)
            return {best(continueLines(model, *data.targetTokenizer, decode, options())), {}};
        if (!writesText())
            throw Error(ErrorCode::Usage, "a run of task " + task.id + " cannot be run on a free text", "--text",
                        "remove it; the effect on the validation examples is measured without it");
        const auto tab = request.text.find('\t');
        Unlabelled example{request.text.substr(0, tab), tab == std::string::npos ? "" : request.text.substr(tab + 1), {}, {}};
        std::vector<Labelled> labels = labelExamples({model, *opened_.task, opened_.spec}, {std::move(example)}, options());
        return {std::move(labels.at(0).label), std::move(labels.at(0).probabilities)};
    }

    InspectionRequest request_;
    OpenedModel opened_;
    InterventionTargets targets_;
    std::optional<Loaded> loaded_;
    std::optional<Measured> trained_;
};

}  // namespace

std::unique_ptr<InspectionSession> openInspectionSession(const InspectionRequest& request) {
    return std::make_unique<Inspector>(request);
}

}  // namespace heddle
