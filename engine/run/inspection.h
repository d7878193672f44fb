// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"
#include "engine/run/example_set.h"
#include "engine/run/head_labels.h"
#include "engine/run/interventions.h"
#include "engine/run/lens.h"
#include "engine/run/metric_effect.h"
#include "engine/run/patching.h"
#include "engine/run/search_options.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A checkpoint to be inspected.
struct InspectionRequest {
    RunSpec spec;
    std::string runFolder;  ///< holds the vocabularies
    std::string checkpointFolder, cacheFolder;
    std::string device = "auto";
    std::function<bool()> stopRequested = {};  ///< may be empty; asked between batches and decoded positions
};

/// The output for one example without and with interventions.
struct OutputEffect {
    std::int64_t index = 0;
    std::string source, reference, trained, intervened;
};

struct EffectReport {
    std::string split;
    std::int64_t examples = 0;
    std::vector<EvaluationDone::Value> trained;  ///< without interventions: as `heddle evaluate` prints them
    std::vector<MetricEffect> metrics;           ///< empty without interventions
    std::vector<OutputEffect> outputs;           ///< for the first examples, if the task has outputs
    std::vector<std::string> warnings;           ///< to be shown beside the numbers
    double seconds = 0;
};

struct EffectRequest {
    std::vector<Intervention> interventions;  ///< empty: only the trained model is measured
    ExampleSet on = {};
    enum class Depth { Scored, Decoded } depth = Depth::Scored;  ///< Decoded: also free-running decoding (BLEU)
};

/// Changes every attention head in turn, or every gate over [B,S,…] or [B,H,Q,K].
struct RankRequest {
    enum class What { Heads, Gates } what = What::Heads;
    /// Value: a head is muted, a gate is held at gateValue. Mean, Resample: see MeanOutput and ResampleOutput; of gates, those
    /// over [B,S,…].
    enum class Ablation { Value, Mean, Resample } ablation = Ablation::Value;
    double gateValue = 1;  ///< 1: the gate is as good as absent, 0: it is shut
    ExampleSet on = {};
    /// Called after each one with the number done and the number of all. May be empty.
    std::function<void(std::int64_t done, std::int64_t all)> progress = {};
};

struct RankReport {
    std::string split;
    std::int64_t examples = 0;
    std::vector<EvaluationDone::Value> trained;
    struct Entry {
        Intervention intervention;
        MetricEffect loss;
        std::optional<MetricEffect> accuracy;
        /// With mean ablation, in the trained model: of a gate its mean over positions and features, of a head the share of its
        /// mean length ‖x‖₂ in those of all heads of the attention.
        std::optional<double> mass = {};
    };
    std::vector<Entry> entries;  ///< sorted by the increase of the loss, largest first
    std::int64_t all = 0;        ///< number of candidates; more than there are entries if the ranking was stopped
    std::vector<std::string> warnings;
    double seconds = 0;
    /// Spearman's ρ of mass and increase of the loss over the entries; nothing: they have no mass, or it is not defined.
    std::optional<double> massCorrelation = {};

    bool isOfHeads() const { return !entries.empty() && headOf(entries.front().intervention).has_value(); }
    /// What it does to each: "mute", "clamp", "mean" or "resample"; empty without entries.
    std::string kind() const { return entries.empty() ? "" : kindOf(entries.front().intervention); }
};

struct TextRequest {
    std::string text;  ///< for a task that reads two texts: both, with a tab between them
    std::vector<Intervention> interventions;
    SearchOptions search = {};
    ExampleSet on = {};  ///< whose means a MeanOutput takes
};

/// A model's output for a text without and with interventions: a translation, a continuation, or a label.
struct TextEffect {
    std::string trained, intervened;
    std::vector<std::string> classes;                                  ///< names; empty: the task has none
    std::vector<float> trainedProbabilities, intervenedProbabilities;  ///< of the classes, or empty
};

/// A sentence to look at: a text, or else an example of the valid split.
struct ObservationRequest {
    std::string text;    ///< for a task that reads two texts: both, with a tab between them; empty: use `example`
    std::string target;  ///< the translation of `text`; empty: the trained model translates it
    std::int64_t example = 0;
    std::vector<Intervention> interventions;
    SearchOptions search = {};
};

/// The mean of an exposure over the features of each position.
struct PositionMeans {
    std::string name, path;  ///< exposure id and module path
    std::vector<float> values;
    std::vector<std::string> tokens;  ///< one for each value
};

/// The model's loss on one label of the sentence.
struct LabelLoss {
    std::string label;  ///< a token, or the name of a class
    double loss = 0;    ///< −ln p, nats
    std::string best;   ///< the likeliest label
};

/// A model's exposures and losses on a sentence.
struct Observation {
    std::string input, reference;      ///< as text; empty: there is none
    std::string output;                ///< the text or label that the model outputs; empty: the task has neither
    std::vector<MapTaken> maps;        ///< weights, scores and gates over pairs of positions
    std::vector<PositionMeans> means;  ///< of gates over positions
    std::vector<LabelLoss> losses;     ///< empty: a free text without labels, or a loss that is no sum over labels
};

/// A finished run's model, opened for interventions. It is a copy, so it can never change training or stored data. Every call
/// starts from the trained model. Interventions are checked (checkInterventions); data are read at the first call that needs
/// them. One thread at a time.
class InspectionSession {
public:
    virtual ~InspectionSession() = default;
    /// The parts that can be changed. Of the clampable exposures it lists only those that occur in a forward pass.
    virtual const InterventionTargets& targets() = 0;
    /// Throws Error(Failure, "stopped") when stopRequested() returns true, Error(Usage) for a ResampleOutput where texts are
    /// decoded or the task's loss is measured one example at a time.
    virtual EffectReport effect(const EffectRequest& request) = 0;
    /// Returns what was ranked so far when stopRequested() returns true.
    virtual RankReport rank(const RankRequest& request) = 0;
    /// Throws Error(Usage) for a task that reads no text or writes none, and for a ResampleOutput: one text has no other
    /// example.
    virtual TextEffect outputs(const TextRequest& request) = 0;
    /// Throws Error(Usage) for a free text if the task reads none, for an example that does not exist, and for a MeanOutput or
    /// a ResampleOutput, which are over many examples; Error(InvalidInput) for a text longer than the model's maximum.
    virtual Observation observe(const ObservationRequest& request) = 0;
    /// Throws Error(Failure, "stopped") when stopRequested() returns true, Error(Usage) for a model whose head predicts no
    /// tokens or whose stack has no fixed sequence of layers.
    virtual LensReport lens(const LensRequest& request) = 0;
    /// Throws Error(Failure, "stopped") likewise, Error(Usage) for a model without attention, and for alignments of a model
    /// that does not translate; Error(InvalidInput) for alignments that do not fit the split.
    virtual LabelsReport labels(const LabelsRequest& request) = 0;
    /// Returns the parts done so far when stopRequested() returns true. Throws Error(Usage) when the two models do not have the
    /// same parts or vocabularies.
    virtual PatchReport patch(const PatchRequest& request) = 0;
    /// Throws Error(Usage) for a task that gives no single answer to a text, for texts of different lengths, and for texts with
    /// the same answer.
    virtual TextPatchReport patchText(const TextPatchRequest& request) = 0;
};

}  // namespace heddle
