// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"
#include "engine/run/interventions.h"
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

/// The examples that something is measured on.
struct ExampleSet {
    std::string split = "valid";  ///< or "test"
    std::int64_t examples = 256;  ///< the first so many; 0: all
    bool operator==(const ExampleSet&) const = default;
};

/// A metric of a model as it was trained and with interventions. Of `loss`, `accuracy` and `bleu` the 95 % interval of the
/// difference is known: its half-width, over examples, paired (pairedDifference, of BLEU jackknifeHalfWidth); it is absent for
/// one example.
struct MetricEffect {
    std::string metric, signature;
    std::int64_t n = 0;  ///< tokens or examples, as the signature has it
    double trained = 0, intervened = 0;
    std::optional<double> halfWidth = {};
    double difference() const { return intervened - trained; }
};

/// The same example's output under both.
struct OutputEffect {
    std::int64_t index = 0;
    std::string source, reference, trained, intervened;
};

struct EffectReport {
    std::string split;
    std::int64_t examples = 0;
    std::vector<EvaluationDone::Value> trained;  ///< what `heddle evaluate` tells of these examples
    std::vector<MetricEffect> metrics;           ///< empty without interventions
    std::vector<OutputEffect> outputs;           ///< of the first examples, where the task has outputs
    std::vector<std::string> warnings;           ///< what has to be read beside the numbers
    double seconds = 0;
};

struct EffectRequest {
    std::vector<Intervention> interventions;  ///< none: as trained, alone
    ExampleSet on = {};
    enum class Depth { Scored, Decoded } depth = Depth::Scored;  ///< Decoded: also what it writes by itself (BLEU)
};

/// Every attention head, muted in turn; or every gate over [B,S,…] or [B,H,Q,K], held at one value in turn.
struct RankRequest {
    enum class What { Heads, Gates } what = What::Heads;
    double gateValue = 1;  ///< 1: the gate is as good as absent, 0: it is shut
    ExampleSet on = {};
    /// After each: how many are done of how many. May be empty.
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
    };
    std::vector<Entry> entries;  ///< what costs most comes first
    std::int64_t all = 0;        ///< more than the entries when it was stopped
    std::vector<std::string> warnings;
    double seconds = 0;
};

struct TextRequest {
    std::string text;  ///< of a task that reads two texts: with a tab between them
    std::vector<Intervention> interventions;
    SearchOptions search = {};
};

/// What a model makes of a text, as it was trained and with interventions: a translation, a continuation, or a label.
struct TextEffect {
    std::string trained, intervened;
    std::vector<std::string> classes;                                  ///< names; empty: the task has none
    std::vector<float> trainedProbabilities, intervenedProbabilities;  ///< of the classes, or empty
};

/// A sentence to look at: a text, or else an example of the valid split.
struct ObservationRequest {
    std::string text;    ///< of a task that reads two texts: with a tab between them; empty: `example`
    std::string target;  ///< the translation of `text`; empty: what the model writes as it was trained
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

/// What the model lost on a label of the sentence.
struct LabelLoss {
    std::string label;  ///< a token, or the name of a class
    double loss = 0;    ///< −ln p, nats
    std::string best;   ///< the likeliest label
};

/// What a model shows while it reads a sentence.
struct Observation {
    std::string input, reference;      ///< as text; empty: there is none
    std::string output;                ///< what the model writes, or its label; empty: the task writes nothing
    std::vector<MapTaken> maps;        ///< weights, scores and gates over pairs of positions
    std::vector<PositionMeans> means;  ///< of gates over positions
    std::vector<LabelLoss> losses;     ///< empty: a free text without labels, or a loss that has no parts
};

/// A finished run's model, opened to be changed and asked. Has a model and weights of its own: it can never change training or
/// what is stored. Every question begins from the trained model. One thread at a time. Lists of interventions are checked
/// (checkInterventions); data are read when they are first needed.
class InspectionSession {
public:
    virtual ~InspectionSession() = default;
    /// What can be changed: of the clampable exposures those that something passes in this model.
    virtual const InterventionTargets& targets() = 0;
    /// Throws Error(Failure, "stopped") when it is asked to stop.
    virtual EffectReport effect(const EffectRequest& request) = 0;
    /// When it is asked to stop, what was ranked so far.
    virtual RankReport rank(const RankRequest& request) = 0;
    /// Throws Error(Usage) for a task that reads no text or writes none.
    virtual TextEffect outputs(const TextRequest& request) = 0;
    /// Throws Error(Usage) for a free text where the task reads none, and for an example that is not there; Error(InvalidInput)
    /// for a text that is longer than the model reads.
    virtual Observation observe(const ObservationRequest& request) = 0;
};

}  // namespace heddle
