// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/builder.h"
#include "engine/model/model.h"

namespace heddle {

/// Topology "encdec": embedding + position → encoder stack; embedding + position → decoder stack over the memory → head.
class EncoderDecoder final : public Model {
public:
    EncoderDecoder(const ResolvedVariant& variant, std::uint64_t seed, at::ScalarType type);

    at::Tensor encode(const at::Tensor& source_BS, const Forward& f) const override;
    at::Tensor decode(const at::Tensor& targetIn_BT, const at::Tensor& memory_BSD, const at::Tensor& source_BS,
                      const Forward& f) const override;
    at::Tensor logits(const at::Tensor& hidden) const override { return head_->logits(hidden); }

    ParameterStore& parameters() override { return store_; }
    const ParameterStore& parameters() const override { return store_; }
    const ResolvedVariant& variant() const override { return variant_; }
    void to(const at::Device& device) override { store_.to(device); }
    std::vector<std::string> attentionPaths() const override;

private:
    at::Tensor embed(Embedding::Side side, const at::Tensor& ids_BS, const Forward& f) const;

    ResolvedVariant variant_;
    at::ScalarType type_;
    ParameterStore store_;
    // In this order: it is the order in which parameters are declared.
    std::unique_ptr<Embedding> embedding_;
    std::unique_ptr<Position> position_;
    Stack encoder_, decoder_;
    std::unique_ptr<Head> head_;
};

}  // namespace heddle
