// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/builder.h"
#include "engine/model/model.h"

#include <memory>

namespace heddle {

/// The model of all topologies: embedding + position → encoder and/or decoder stack → head.
class ComposedModel final : public Model {
public:
    /// `store` must be empty; its type is the model's.
    ComposedModel(const ResolvedVariant& variant, ParameterStore store);

    at::Tensor encode(const ModelInput& source, const Forward& f) const override;
    at::Tensor decode(const ModelInput& target, const Memory& memory, const Forward& f) const override;
    std::unique_ptr<DecodingState> startDecoding(const Memory& memory, DecodingMemory kept) const override;
    using Model::startDecoding;
    std::string stepObstacle() const override;
    std::unique_ptr<ReplayableState> makeReplayableState(std::int64_t capacity) const override;
    std::string stepCaptureObstacle() const override;
    std::string captureObstacle() const override;
    at::Tensor pool(const at::Tensor& hidden_BSW, const at::Tensor& ids_BS, const Forward& f) const override;
    at::Tensor logits(const at::Tensor& hidden) const override { return head_->logits(hidden); }
    bool headReadsReduced() const override { return head_->readsReduced(); }

    ParameterStore& parameters() override { return store_; }
    const ParameterStore& parameters() const override { return store_; }
    const ResolvedVariant& variant() const override { return variant_; }
    void to(const at::Device& device) override { store_.to(device); }
    std::vector<std::string> attentionPaths() const override;

    // For DecodingState.
    /// Target tokens at these positions → the decoder stack's input.
    at::Tensor embedTarget(const at::Tensor& ids_BT, const StepPosition& at, const Forward& f) const;
    at::Tensor paddingOf(const at::Tensor& ids_BS) const { return embedding_->padding(ids_BS); }
    at::TensorOptions scoreOptions(const at::Device& device) const { return at::TensorOptions(type_).device(device); }
    const Stack& decoder() const { return decoder_; }

private:
    at::Tensor placed(const at::Tensor& x_BSD, const StepPosition& at) const;
    at::Tensor embeddedAtOnce(Embedding::Side side, const ModelInput& input, const StepPosition& at, const Forward& f) const;
    at::Tensor embed(Embedding::Side side, const ModelInput& input, const StepPosition& at, const Forward& f) const;
    std::string stepObstacle(Steps steps) const;
    KeyMasks masksOf(const at::Tensor& ids_BS, Padding padding, const at::Tensor& embedded_BSD,
                     DocumentPlaces documents = {}) const;

    ResolvedVariant variant_;
    at::ScalarType type_;
    ParameterStore store_;
    // This order is the order in which parameters are declared.
    ModulePart<Embedding> embedding_;
    ModulePart<Position> position_;
    Stack encoder_, decoder_;  ///< empty where the topology has none
    ModulePart<Head> head_;
    const PlainLookUp* lookUp_;           // null: not supported
    const AddedPosition* addedPosition_;  // null: not supported
};

/// Returns a state that caches keys and values, or one that reads all tokens again at every step if `kept` says so or the model
/// has a stepObstacle().
std::unique_ptr<DecodingState> makeDecodingState(const ComposedModel& model, const Memory& memory, DecodingMemory kept);

/// The model must have no stepCaptureObstacle().
std::unique_ptr<ReplayableState> makeReplayableState(const ComposedModel& model, std::int64_t capacity);

}  // namespace heddle
