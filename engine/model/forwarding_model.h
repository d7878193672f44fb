// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/model.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// Passes everything on to another model, which must outlive it and whose weights it shares. A derived class overrides what it
/// changes.
class ForwardingModel : public Model {
public:
    explicit ForwardingModel(Model& model) : model_(model) {}

    at::Tensor encode(const ModelInput& source, const Forward& f) const override { return model_.encode(source, f); }
    at::Tensor decode(const ModelInput& target, const Memory& memory, const Forward& f) const override {
        return model_.decode(target, memory, f);
    }
    std::unique_ptr<DecodingState> startDecoding(const Memory& memory, DecodingMemory kept) const override {
        return model_.startDecoding(memory, kept);
    }
    using Model::startDecoding;
    std::string stepObstacle() const override { return model_.stepObstacle(); }
    std::unique_ptr<ReplayableState> makeReplayableState(std::int64_t capacity) const override {
        return model_.makeReplayableState(capacity);
    }
    std::string stepCaptureObstacle() const override { return model_.stepCaptureObstacle(); }
    std::string captureObstacle() const override { return model_.captureObstacle(); }
    at::Tensor pool(const at::Tensor& hidden_BSW, const at::Tensor& ids_BS, const Forward& f) const override {
        return model_.pool(hidden_BSW, ids_BS, f);
    }
    at::Tensor logits(const at::Tensor& hidden) const override { return model_.logits(hidden); }
    bool headReadsReduced() const override { return model_.headReadsReduced(); }

    ParameterStore& parameters() override { return model_.parameters(); }
    const ParameterStore& parameters() const override { return std::as_const(model_).parameters(); }
    const ResolvedVariant& variant() const override { return model_.variant(); }
    void to(const at::Device& device) override { model_.to(device); }
    std::vector<std::string> attentionPaths() const override { return model_.attentionPaths(); }

protected:
    const Model& inner() const { return model_; }

private:
    Model& model_;
};

}  // namespace heddle
