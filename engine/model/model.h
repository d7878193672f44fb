// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/spec/variant_spec.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// Whether ids may hold padding. Where the host knows that they hold none, attention runs without a mask of it.
enum class Padding { Possible, None };

/// What a stack reads.
struct ModelInput {
    at::Tensor ids_BS;    ///< token ids (kPad: none); for images the patches [B,S,P]
    at::Tensor types_BS;  ///< token types; undefined: all of type 0
    Padding padding = Padding::Possible;
};

/// What a decoder looks at.
struct Memory {
    at::Tensor hidden_BSD;  ///< the encoder's output; undefined: there is no encoder
    at::Tensor source_BS;   ///< the ids it was made from
    Padding padding = Padding::Possible;
};

/// Where a decoder stands: what it has read so far, as keys and values of every attention, or, where a model cannot go on from
/// those (Model::stepObstacle), as the tokens themselves. The model must outlive it. One thread at a time.
class DecodingState {
public:
    virtual ~DecodingState() = default;
    /// Reads the next tokens of every row, T of them, and gives their hidden states [B,T,W]: to rounding what Model::decode
    /// gives for all tokens so far. Not for training.
    virtual at::Tensor step(const at::Tensor& ids_BT, const Forward& f) = 0;
    /// Row i goes on from what row rows[i] was; rows may be left out or come several times.
    virtual void reorder(const std::vector<std::int64_t>& rows) = 0;
    virtual std::int64_t length() const = 0;  ///< tokens read by every row
};

/// A decoder whose steps a device can capture and replay: what it keeps stays where it is, and where a step stands is read
/// from the device's memory. The model must outlive it. One thread at a time.
class ReplayableState {
public:
    virtual ~ReplayableState() = default;
    /// Forgets all and reads the first tokens of every row, T of them, as DecodingState::step does. The memory has a row for
    /// each of them; sizes but T are those of the first time.
    virtual at::Tensor begin(const Memory& memory, const at::Tensor& ids_RT, const Forward& f) = 0;
    /// Reads one token of every row at position_1 (int64 [1]), which follows what was read: hidden states [R,1,W]. To be
    /// recorded: it reads nothing else that changes.
    virtual at::Tensor step(const at::Tensor& ids_R1, const at::Tensor& position_1, const Forward& f) = 0;
    /// Row i goes on from what row rows_R[i] was, which has the same memory. To be recorded, likewise.
    virtual void reorder(const at::Tensor& rows_R) = 0;
};

/// A network built from a resolved variant. Owns its parameters; forward passes are const and may run on one thread at a time.
class Model {
public:
    virtual ~Model() = default;

    /// Source → hidden [B,S,W] after the encoder stack: a decoder's memory, or what the head reads. W is D, with both
    /// directions of a recurrent network 2·D.
    virtual at::Tensor encode(const ModelInput& source, const Forward& f) const = 0;
    /// Target (kSos first) and memory → hidden_BTD after the decoder stack, before the head.
    virtual at::Tensor decode(const ModelInput& target, const Memory& memory, const Forward& f) const = 0;
    /// A decoder of `memory` that has read nothing yet.
    virtual std::unique_ptr<DecodingState> startDecoding(const Memory& memory) const = 0;
    /// Why decoding runs the whole prefix at every position, with the path of what asks for it; empty: it does not.
    virtual std::string stepObstacle() const = 0;
    /// A decoder of replayed steps over `capacity` positions at most. Only where stepCaptureObstacle() is empty.
    virtual std::unique_ptr<ReplayableState> makeReplayableState(std::int64_t capacity) const = 0;
    /// Why a device cannot capture a step of decoding and replay it, with the path of what prevents it; empty: it can.
    virtual std::string stepCaptureObstacle() const = 0;
    /// Why a device cannot capture a training step and replay it, with the path of what prevents it; empty: it can.
    virtual std::string captureObstacle() const = 0;
    /// hidden [B,S,W] of these ids → what logits() reads: the same, or [B,W] where the head wants one vector for a sequence.
    virtual at::Tensor pool(const at::Tensor& hidden_BSW, const at::Tensor& ids_BS, const Forward& f) const = 0;
    /// hidden [...,W] → logits [...,V] or [...,C].
    virtual at::Tensor logits(const at::Tensor& hidden) const = 0;

    virtual ParameterStore& parameters() = 0;
    virtual const ParameterStore& parameters() const = 0;
    virtual const ResolvedVariant& variant() const = 0;
    /// Moves every parameter and buffer; parameters stay leaves that require grad.
    virtual void to(const at::Device& device) = 0;
    /// Paths of the attention sublayers ("decoder.layers.1.cross"), in order; their taps are "<path>.weight"/"score".
    virtual std::vector<std::string> attentionPaths() const = 0;
};

/// The only code that turns choices into modules. Initialises on the CPU from (seed, path).
std::unique_ptr<Model> buildModel(const ResolvedVariant& variant, std::uint64_t seed, at::ScalarType type = at::kFloat);

/// The same tree with parameters that have sizes but no values and take no memory, to count what a model of any size declares.
std::unique_ptr<Model> outlineModel(const ResolvedVariant& variant);

}  // namespace heddle
