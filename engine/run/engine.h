// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/decoding.h"
#include "engine/run/events.h"
#include "engine/run/exchange.h"
#include "engine/run/intervention_change.h"
#include "engine/run/mailbox.h"
#include "engine/run/process_place.h"
#include "engine/spec/cost.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Inputs of training one attempt of a run.
struct TrainRequest {
    std::string runId;
    std::int64_t attempt = 1;
    RunSpec spec;
    std::string runFolder;    ///< absolute; checkpoints go to <runFolder>/step-N, vocabularies to <runFolder>/tokenizer
    std::string cacheFolder;  ///< encoded corpora and trained tokenizers by content hash
    std::string resumeFrom;   ///< absolute checkpoint folder, or empty: start at step 0
    Precision precision = Precision::Auto;  ///< of earlier attempts, kept if the spec leaves it open; Auto: none
    /// Of earlier attempts, in their order; a resumed attempt repeats them after the same steps.
    std::vector<InterventionsAt> interventions;
    ProcessPlace processes = {};  ///< that train together, this one being rank 0
};

/// A process that trains a run together with others, of whom rank 0 has the TrainRequest.
struct JoinRequest {
    ProcessPlace place;           ///< rank 1 or higher
    std::optional<RunSpec> spec;  ///< must be that of rank 0; none: any
    std::string cacheFolder;      ///< as of TrainRequest
};

/// How an attempt ended. Failures are thrown as Error (after a Failure event).
struct TrainOutcome {
    RunState state = RunState::Completed;  ///< Completed | Stopped
    std::int64_t step = 0, epoch = 0;
    double seconds = 0;
};

/// An example without its label: a text, a pair, words or an image.
struct Unlabelled {
    std::string first, second;
    std::vector<std::string> words;    ///< task tag
    std::vector<std::uint8_t> pixels;  ///< task image: [height, width], row by row, 0 … 255
    std::int64_t height = 0, width = 0;
};

/// A model's prediction for an example.
struct Labelled {
    std::string label;
    /// Of the classes, in the order of classNames(), sum 1; empty: the task or its loss has none.
    std::vector<float> probabilities;
};

/// A finished run's model, loaded for inference. It is a copy, so it can never change training. One thread at a time.
class InferenceSession {
public:
    virtual ~InferenceSession() = default;
    /// Translates with any search, in the order of the lines; an empty line gives an empty translation. Throws
    /// Error(InvalidInput) for a model without encoder or decoder and for a line that is too long, Error(Usage) for invalid
    /// search options.
    virtual std::vector<DecodedLine> translate(const DecodeRequest& request) = 0;
    /// Continues the lines with a decoder-only model; each text begins with its line. Throws likewise.
    virtual std::vector<DecodedLine> generate(const DecodeRequest& request) = 0;
    /// Predicts the label of each example: a class, a number, tags joined by spaces, or the answer to `first` found in
    /// `second`. Throws Error(Usage) for a run of another task, Error(InvalidInput) for images of a wrong size.
    virtual std::vector<Labelled> classify(const std::vector<Unlabelled>& examples) = 0;
    /// Names of the classes or tags, in the order of Labelled::probabilities.
    virtual std::vector<std::string> classNames() const = 0;
    /// Why decoding is not incremental and therefore slower, for a note; empty: it is incremental.
    virtual std::string decodingObstacle() const = 0;
    /// Why decoding was slower than possible on this device, for a warning; empty: it was not.
    virtual std::string decodingWarning() const { return {}; }
};

/// A checkpoint and the data to evaluate it on.
struct EvaluationRequest {
    RunSpec spec;  ///< the run's spec, possibly changed without affecting its parameters (a gate dropped, another test file)
    std::string checkpointFolder, cacheFolder;
    std::string split = "valid";  ///< or "test"
    bool decode = true;           ///< also free-running decoding, if the task supports it
    std::int64_t sentences = 0;   ///< number of examples to decode; 0: all
    std::string device = "auto";
    bool otherFiles = false;                   ///< the split is not the run's own: do not warn about different files
    std::function<bool()> stopRequested = {};  ///< may be empty
};

struct EvaluationReport {
    EvaluationDone measured;
    std::vector<SampleText> samples;
    std::vector<std::string> warnings;  ///< to be shown beside the numbers
};

/// Checkpoints of one run, of whose weights the mean is asked for.
struct AverageRequest {
    std::string runFolder;            ///< absolute
    std::vector<std::int64_t> steps;  ///< ascending, at least one; they are in <runFolder>/step-N
    /// Where the mean alone goes, as safetensors; empty: a checkpoint <runFolder>/average-N-M-…, which can be evaluated and
    /// opened as any other, but from which no training goes on.
    std::string file;
};

struct VerifyCheck {
    std::string name;
    enum class Status { Pass, Fail, Reported } status = Status::Pass;
    double maxError = 0;
    std::string detail;
};

struct DeviceInfo {
    std::string id, name;
    std::uint64_t bytes = 0;
};

/// What `heddle verify` runs.
struct VerifyRequest {
    Json golden;                 ///< a file in the format of spec/golden.json
    bool isBeyondCases = false;  ///< also check what the program adds to the cases: on a device every preset's training pass
    std::string only;            ///< one case ("eau") or one check ("eau/y (float64)"); empty: everything
    /// "cuda", "cuda:1" …: runs the cases that compute tensors on it and, with isBeyondCases, compares every preset's
    /// training pass on it with the reference definitions on the CPU; empty: every case, on the CPU.
    std::string device;
};

/// Input and output folders of a rehearsal. An empty path: none.
struct RehearsalFolders {
    std::string cache;
    std::string tokenizersFrom;  ///< written by the rehearsal of the run that this one starts from
    std::string tokenizersTo;    ///< for runs that start from this one
};

/// What a run would be, known from its data and its model.
struct Rehearsal {
    std::int64_t examples = 0;       ///< of the training split, after filters
    std::int64_t stepsPerEpoch = 0;  ///< optimizer steps
    std::int64_t steps = 0;          ///< at most; 0: only train.patience ends the run
    std::int64_t vocabSource = 0, vocabTarget = 0;
    std::int64_t parameters = 0;
};

struct TrainBenchRequest;  // engine/run/train_bench.h
struct TrainBenchRow;
struct InspectionRequest;  // engine/run/inspection.h
class InspectionSession;

/// The engine's interface: torch-free, implemented in libheddle_engine.so, which is loaded at run time
/// (app/session/engine_loader).
class Engine {
public:
    virtual ~Engine() = default;

    /// Runs the attempt to its end on the calling thread. Emits StateChanged(preparing, running, paused, stopping, …) and all
    /// other events into `sink`; executes the commands of `mailbox` at step borders.
    virtual TrainOutcome train(const TrainRequest& request, EventSink& sink, Mailbox& mailbox) = 0;

    /// Computes a part of each step of the run that rank 0 trains, until it ends there; any command in `mailbox` stops the run
    /// on all processes. Reads the data itself; records and writes nothing. Throws what train() would, Error(InvalidInput) when
    /// spec, data, program or settings are not those of rank 0, and Error(Resumable) when another process is lost.
    virtual TrainOutcome join(const JoinRequest& request, Mailbox& mailbox) = 0;

    /// Reads a run's data, builds its model and computes the loss of two examples; trains and records nothing. Throws what
    /// train() would throw before its first step. Ignores the weights of a start checkpoint, which may not exist yet. Uses its
    /// tokenizers: those beside the checkpoint if it exists, else those that another rehearsal wrote.
    virtual Rehearsal rehearse(const RunSpec& spec, const RehearsalFolders& folders) = 0;

    /// Opens a checkpoint folder for inference. `runFolder` holds the vocabularies.
    virtual std::unique_ptr<InferenceSession> openInference(const RunSpec& spec, const std::string& runFolder,
                                                            const std::string& checkpointFolder, const std::string& device) = 0;

    /// Evaluates a checkpoint like the run's own evaluations; records nothing. Throws Error(InvalidInput) when data or
    /// checkpoint cannot be read, or when the spec's parameters do not match the checkpoint.
    virtual EvaluationReport evaluate(const EvaluationRequest& request) = 0;

    /// Writes the mean of the weights of checkpoints: sums in float64 in the order of the steps, stored in the checkpoints'
    /// types; tensors of whole numbers are those of the newest. Returns what was written; of a file only bytes and SHA-256 of
    /// the weights. Throws Error(InvalidInput) for checkpoints that are damaged or not of one model, Error(Diverged) for one
    /// with NaN or infinity, and as a checkpoint of training does.
    virtual CheckpointWritten averageCheckpoints(const AverageRequest& request) = 0;

    /// Reads the weights and the tokenizer of a folder of transformers and writes them as a run's checkpoint of step 0, with
    /// the tokenizers beside it. Throws Error(InvalidInput) for a model that Heddle does not have, naming the option; for files
    /// that are damaged or do not belong together; and as a checkpoint of training does.
    virtual ImportedWeights importWeights(const WeightsImport& request) = 0;

    /// Writes a checkpoint as a folder of transformers: config.json, model.safetensors and the tokenizer. Throws
    /// Error(InvalidInput) for a variant that is no such model, naming the first difference, and for a tokenizer that has no
    /// such file.
    virtual ExportedWeights exportWeights(const WeightsExport& request) = 0;

    /// Opens a checkpoint to see what its parts are worth. Throws Error(InvalidInput) when it cannot be read.
    virtual std::unique_ptr<InspectionSession> openInspection(const InspectionRequest& request) = 0;

    /// Checks golden cases with the modules that training uses. Throws Error(InvalidInput) when the file is not
    /// of that format or `only` matches nothing.
    virtual std::vector<VerifyCheck> verify(const VerifyRequest& request) = 0;

    /// Times the training steps of one workload on the calling thread. Throws Error(InvalidInput) for a missing
    /// device.
    virtual TrainBenchRow benchTraining(const TrainBenchRequest& request) = 0;

    /// Builds a variant and lists its modules; their parameters must equal countCost.
    virtual std::vector<BuiltModule> builtModules(const VariantSpec& variant, std::int64_t vocabSrc, std::int64_t vocabTgt) = 0;

    /// Memory of a training step in float32 on the CPU, measured on tensors without values: it takes neither that memory nor
    /// the step's time. Vocabulary sizes must be known (Error(InvalidInput)).
    virtual StepMemory measureStepMemory(const VariantSpec& variant, const BatchShape& shape) = 0;

    virtual std::string torchVersion() const = 0;
    virtual std::vector<DeviceInfo> devices() const = 0;
};

extern "C" {
/// Exported by libheddle_engine.so as heddleCreateEngine. Returns null when `identity` is not the library's engineIdentity().
using CreateEngineFunction = heddle::Engine* (*)(std::uint64_t identity);
}

}  // namespace heddle
