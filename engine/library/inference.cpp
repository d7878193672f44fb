// SPDX-License-Identifier: Apache-2.0
#include "engine/library/inference.h"

#include "engine/base/error.h"
#include "engine/data/loading/run_data.h"
#include "engine/decode/lines.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/task_kinds.h"
#include "engine/tasks/labelling.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/identity.h"
#include "engine/train/loop/reports.h"
#include "engine/train/loop/word_table.h"

#include <tuple>

namespace heddle {
namespace {

/// Vocabularies (images have none) and classes as the run keeps them: the files that the checkpoint records.
RunData savedData(const RunSpec& spec, const std::string& runFolder, const std::string& checkpointFolder) {
    const std::string folder = runFolder + "/tokenizer";
    const RecordedFiles recorded = recordedFiles(readCheckpointIdentity(checkpointFolder), checkpointFolder);
    RunData data;
    if (taskKind(spec.data.task).hasTokenizer())
        std::tie(data.sourceTokenizer, data.targetTokenizer) = loadTokenizers(folder, recorded);
    data.classes = loadClasses(folder, recorded);
    return data;
}

class ModelSession final : public InferenceSession {
public:
    ModelSession(const RunSpec& spec, const std::string& runFolder, const std::string& checkpointFolder,
                 const at::Device& device)
        : spec_(spec),
          data_(savedData(spec, runFolder, checkpointFolder)),
          model_(buildModel(
              spec.variant.resolve(data_.sourceWords(), data_.targetWords(), outputsFor(spec, std::ssize(data_.classes))),
              spec.seed)),
          task_(makeTask(spec, data_)),
          options_{device, readingPrecisionFor(spec.train.precision, device)} {
        allowTensorFloat32(device, options_.precision);
        fillFrozenTables(*model_, spec, data_);
        const NamedTensors weights = readCheckpointWeights(checkpointFolder);
        requireFinite(weights, checkpointFolder);
        copyInto(namedParameters(model_->parameters()), weights, checkpointFolder);
        model_->to(device);
    }

    std::vector<Labelled> classify(const std::vector<Unlabelled>& examples) override {
        return labelExamples({*model_, *task_, spec_}, examples, options_);
    }
    std::vector<std::string> classNames() const override { return data_.classes; }

    std::vector<Translation> translate(const std::vector<std::string>& lines) override {
        std::vector<Translation> translations;
        DecodeRequest request;
        request.lines = lines;
        for (DecodedLine& line : translate(request)) {
            Hypothesis& best = line.hypotheses.front();
            translations.push_back({std::move(best.text), std::move(line.sourceTokens), std::move(best.tokens)});
        }
        return translations;
    }

    std::vector<DecodedLine> translate(const DecodeRequest& request) override {
        return translateLines(*model_, {*data_.sourceTokenizer, *data_.targetTokenizer}, request, recorded());
    }

    std::vector<DecodedLine> generate(const DecodeRequest& request) override {
        return continueLines(*model_, *data_.targetTokenizer, request, recorded());
    }

    std::string decodingObstacle() const override {
        return model_->variant().decoder.empty() ? std::string() : model_->stepObstacle();
    }
    std::string decodingWarning() const override { return warning_; }

private:
    /// Recorders belong to the thread that asks.
    DecodeOptions recorded() {
        DecodeOptions options = options_;
        if (spec_.train.graphs) options.makeGraph = deviceGraphsOf(options.device);
        options.uncaptured = [this](const std::string& why) { warning_ = uncapturedDecodingWarning(why); };
        return options;
    }

    RunSpec spec_;
    RunData data_;
    std::unique_ptr<Model> model_;
    std::unique_ptr<Task> task_;
    DecodeOptions options_;
    std::string warning_;
};

}  // namespace

std::unique_ptr<InferenceSession> openInferenceSession(const RunSpec& spec, const std::string& runFolder,
                                                       const std::string& checkpointFolder, const std::string& device) {
    const at::Device chosen = chooseDevice(device);
    configureComputeThread({static_cast<int>(spec.train.threads), spec.train.deterministic});
    return std::make_unique<ModelSession>(spec, runFolder, checkpointFolder, chosen);
}

}  // namespace heddle
