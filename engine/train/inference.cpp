// SPDX-License-Identifier: Apache-2.0
#include "engine/train/inference.h"

#include "engine/data/dataset.h"
#include "engine/device/device.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint.h"
#include "engine/train/evaluation.h"

namespace heddle {
namespace {

class TranslationSession final : public InferenceSession {
public:
    TranslationSession(const RunSpec& spec, const std::string& runFolder, const std::string& checkpointFolder,
                       const at::Device& device)
        : tokenizers_(loadTokenizers(runFolder + "/tokenizer")),
          model_(buildModel(spec.variant.resolve(tokenizers_.first->size(), tokenizers_.second->size()), spec.seed)),
          options_{device, precisionFromName(spec.train.precision)} {
        copyInto(namedParameters(model_->parameters()), readCheckpointWeights(checkpointFolder), checkpointFolder);
        model_->to(device);
    }

    std::vector<Translation> translate(const std::vector<std::string>& lines) override {
        std::vector<Translation> translations;
        for (auto& line : translateLines(*model_, *tokenizers_.first, *tokenizers_.second, lines, options_))
            translations.push_back({std::move(line.text), std::move(line.sourceTokens), std::move(line.targetTokens)});
        return translations;
    }

private:
    std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>> tokenizers_;
    std::unique_ptr<Model> model_;
    DecodeOptions options_;
};

}  // namespace

std::unique_ptr<InferenceSession> openInferenceSession(const RunSpec& spec, const std::string& runFolder,
                                                       const std::string& checkpointFolder, const std::string& device) {
    const at::Device chosen = chooseDevice(device);
    configureComputeThread({static_cast<int>(spec.train.threads), spec.train.deterministic});
    return std::make_unique<TranslationSession>(spec, runFolder, checkpointFolder, chosen);
}

}  // namespace heddle
