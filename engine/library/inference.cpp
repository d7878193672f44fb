// SPDX-License-Identifier: Apache-2.0
#include "engine/library/sessions.h"

#include "engine/decode/lines.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/library/opened_model.h"
#include "engine/tasks/labelling.h"
#include "engine/train/loop/reports.h"

#include <utility>

namespace heddle {
namespace {

class ModelSession final : public InferenceSession {
public:
    explicit ModelSession(OpenedModel opened)
        : spec_(std::move(opened.spec)),
          data_(std::move(opened.data)),
          model_(std::move(opened.model)),
          task_(std::move(opened.task)),
          options_{opened.device, opened.precision} {}

    std::vector<Labelled> classify(const std::vector<Unlabelled>& examples) override {
        return labelExamples({*model_, *task_, spec_}, examples, options_);
    }
    std::vector<std::string> classNames() const override { return data_.classes; }

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
    /// Graphs belong to the calling thread.
    DecodeOptions recorded() {
        DecodeOptions options = options_;
        if (spec_.train.graphs) options.makeGraph = deviceGraphsOf(options.device);
        options.onCaptureFailure = [this](const std::string& why) { warning_ = uncapturedDecodingWarning(why); };
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
    return std::make_unique<ModelSession>(openModel(spec, runFolder, checkpointFolder, device));
}

}  // namespace heddle
