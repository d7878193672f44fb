// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block.h"
#include "engine/data/tokenizer.h"
#include "engine/spec/variant_spec.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace heddle {

/// An encoder–decoder built from a resolved variant. Owns its parameters; forward passes are const and may run on one thread
/// at a time. Positions of kPad are masked as keys; the decoder's self-attention is causal.
class Model {
public:
    virtual ~Model() = default;

    /// source_BS ids → memory_BSD.
    virtual at::Tensor encode(const at::Tensor& source_BS, const Forward& f) const = 0;
    /// targetIn_BT ids (kSos first), memory → hidden_BTD after the decoder stack, before the head.
    virtual at::Tensor decode(const at::Tensor& targetIn_BT, const at::Tensor& memory_BSD, const at::Tensor& source_BS,
                              const Forward& f) const = 0;
    /// hidden [...,D] → logits [...,V].
    virtual at::Tensor logits(const at::Tensor& hidden) const = 0;

    virtual ParameterStore& parameters() = 0;
    virtual const ParameterStore& parameters() const = 0;
    virtual const ResolvedVariant& variant() const = 0;
    /// Moves every parameter and buffer; parameters stay leaves that require grad.
    virtual void to(const at::Device& device) = 0;
    /// Paths of the attention sublayers ("decoder.layers.1.cross"), in order; their taps are "<path>.weight"/"score".
    virtual std::vector<std::string> attentionPaths() const = 0;
};

/// Step-by-step decoding state with key/value cache is added with the decoding issue; until then decode() is called on
/// prefixes.

/// The only code that turns choices into modules. Initialises on the CPU from (seed, path).
std::unique_ptr<Model> buildModel(const ResolvedVariant& variant, std::uint64_t seed, at::ScalarType type = at::kFloat);

}  // namespace heddle
