// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/decoding.h"
#include "engine/run/events.h"
#include "engine/run/mailbox.h"
#include "engine/spec/cost.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// What the engine needs to train one attempt of one run.
struct TrainRequest {
    std::string runId;
    std::int64_t attempt = 1;
    RunSpec spec;
    std::string runFolder;    ///< absolute; checkpoints go to <runFolder>/step-N, vocabularies to <runFolder>/tokenizer
    std::string cacheFolder;  ///< encoded corpora and trained tokenizers by content hash
    std::string resumeFrom;   ///< absolute checkpoint folder, or empty: start at step 0
    std::string precision;    ///< that earlier attempts told; a spec that leaves it open keeps it; empty: there are none
};

/// How an attempt ended. Failures are thrown as Error (after a Failure event).
struct TrainOutcome {
    RunState state = RunState::Completed;  ///< Completed | Stopped
    std::int64_t step = 0, epoch = 0;
    double seconds = 0;
};

struct Translation {
    std::string text;
    std::vector<std::string> sourceTokens, targetTokens;
};

/// An example without its label: a text, a pair, words or an image.
struct Unlabelled {
    std::string first, second;
    std::vector<std::string> words;    ///< task tag
    std::vector<std::uint8_t> pixels;  ///< task image: [height, width], row by row, 0 … 255
    std::int64_t height = 0, width = 0;
};

/// What a model said to an example.
struct Labelled {
    std::string label;
    std::vector<float>
        probabilities;  ///< of the classes, in the order of their names, sum 1; empty: the task or its loss has none
};

/// A finished run's model, loaded for questions. Has a model of its own: it can never change training. One thread at a time.
class InferenceSession {
public:
    virtual ~InferenceSession() = default;
    virtual std::vector<Translation> translate(const std::vector<std::string>& lines) = 0;  ///< greedy, batched
    /// Translations by any search, in the order of the lines; an empty line gives an empty one. Throws Error(InvalidInput) for
    /// a model without encoder or decoder and for a line that is too long, Error(Usage) for a search that makes no sense.
    virtual std::vector<DecodedLine> translate(const DecodeRequest& request) = 0;
    /// Continuations of the lines by a decoder that stands alone; each text begins with its line. Throws likewise.
    virtual std::vector<DecodedLine> generate(const DecodeRequest& request) = 0;
    /// What the model of a labelling task says to each example: a class, a number, tags joined by spaces, or the words that
    /// answer `first` in `second`. Throws Error(Usage) for a run of another task, Error(InvalidInput) for images that the model
    /// cannot take.
    virtual std::vector<Labelled> classify(const std::vector<Unlabelled>& examples) = 0;
    /// Names of the classes or tags, in the order of Labelled::probabilities.
    virtual std::vector<std::string> classNames() const = 0;
    /// Why decoding keeps nothing between positions and takes longer, for a note; empty: it does not.
    virtual std::string decodingObstacle() const = 0;
    /// Why what was decoded so far took longer than it should on this device, for a warning; empty: it did not.
    virtual std::string decodingWarning() const { return {}; }
};

/// A checkpoint and the data that it is to be measured on.
struct EvaluationRequest {
    RunSpec spec;  ///< the run's, or one changed where its parameters stay what they are (a gate dropped, another test file)
    std::string checkpointFolder, cacheFolder;
    std::string split = "valid";  ///< or "test"
    bool decode = true;           ///< free-running decoding where the task has it
    std::int64_t sentences = 0;   ///< examples that are decoded; 0: all
    std::string device = "auto";
    bool otherFiles = false;                   ///< the split is not the run's own: that its files differ is no warning
    std::function<bool()> stopRequested = {};  ///< may be empty
};

struct EvaluationReport {
    EvaluationDone measured;
    std::vector<SampleText> samples;
    std::vector<std::string> warnings;  ///< what has to be read beside the numbers
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
    Json golden;                  ///< a file in the format of spec/golden.json
    bool withProperties = false;  ///< also the properties of variants.md A5, which need no file
    std::string only;             ///< one case ("eau") or one check ("eau/y (float64)"); empty: everything
    /// "cuda", "cuda:1" …: every preset's training pass there against the plain definitions on the CPU, and nothing else;
    /// empty: everything above, on the CPU.
    std::string device;
};

/// Where a rehearsal finds what it does not make, and leaves what others need. An empty path: nowhere.
struct RehearsalFolders {
    std::string cache;
    std::string tokenizersFrom;  ///< left there by the rehearsal of the run that this one starts from
    std::string tokenizersTo;    ///< for those that start from this one
};

struct TrainBenchRequest;  // engine/run/train_bench.h
struct TrainBenchRow;
struct InspectionRequest;  // engine/run/inspection.h
class InspectionSession;

/// The engine's face: torch-free, implemented in libheddle_engine.so, which is loaded at run time (app/session/engine_loader).
class Engine {
public:
    virtual ~Engine() = default;

    /// Runs the attempt to its end on the calling thread. Emits StateChanged(preparing, running, paused, stopping, …) and
    /// everything else into `sink`; obeys `mailbox` at step borders.
    virtual TrainOutcome train(const TrainRequest& request, EventSink& sink, Mailbox& mailbox) = 0;

    /// Reads a run's data, builds its model and measures two examples with its loss; trains and records nothing. Throws what
    /// train() would throw before its first step. The weights of a checkpoint to start from are left out: it may not be written
    /// yet. Its tokenizers are taken: those beside the checkpoint where it is there, else those that another rehearsal left.
    virtual void rehearse(const RunSpec& spec, const RehearsalFolders& folders) = 0;

    /// Opens a checkpoint folder for inference. `runFolder` holds the vocabularies.
    virtual std::unique_ptr<InferenceSession> openInference(const RunSpec& spec, const std::string& runFolder,
                                                            const std::string& checkpointFolder, const std::string& device) = 0;

    /// Measures a checkpoint as the run's own evaluations do; records nothing. Throws Error(InvalidInput) when data or
    /// checkpoint cannot be read, or when the spec's parameters are not the checkpoint's.
    virtual EvaluationReport evaluate(const EvaluationRequest& request) = 0;

    /// Opens a checkpoint to see what its parts are worth. Throws Error(InvalidInput) when it cannot be read.
    virtual std::unique_ptr<InspectionSession> openInspection(const InspectionRequest& request) = 0;

    /// Runs golden cases and properties through the modules that training uses. Throws Error(InvalidInput) when the file is not
    /// of that format or `only` names nothing.
    virtual std::vector<VerifyCheck> verify(const VerifyRequest& request) = 0;

    /// Times the training steps of one workload on the calling thread. Throws Error(InvalidInput) for a file of batches that
    /// is none or lacks the workload, and for a device that is not there.
    virtual TrainBenchRow benchTraining(const TrainBenchRequest& request) = 0;

    /// Parameters per module path of the tree that the builder really makes; must equal countCost.
    virtual std::vector<std::pair<std::string, std::int64_t>> builtParameters(const VariantSpec& variant, std::int64_t vocabSrc,
                                                                              std::int64_t vocabTgt) = 0;

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
