// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/spec/variant_spec.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Whether ids may contain padding. Without padding, attention needs no padding mask. Possible: at the ends of rows, where no
/// query of a causal mask sees it. Anywhere: in front of other ids, too, so that a causal mask must hide it.
enum class Padding { Possible, None, Anywhere };

/// Input of a stack.
struct ModelInput {
    at::Tensor ids_BS;    ///< token ids, padded with kPad; for images the patches [B,S,P]
    at::Tensor types_BS;  ///< token types; undefined: all of type 0
    Padding padding = Padding::Possible;
    /// int64 [B,S], the number of every token's document: a query sees the keys of its own document alone, and positions count
    /// from its beginning. Undefined: a row is one document.
    at::Tensor documents_BS = {};
    /// int64 [B·S], the positions of ids_BS ascending by id (withOrders() in batch.h); undefined: not known.
    at::Tensor order_N = {};
};

/// The encoder output that a decoder attends to.
struct Memory {
    at::Tensor hidden_BSD;  ///< undefined: no encoder
    at::Tensor source_BS;   ///< the encoder's input ids
    Padding padding = Padding::Possible;
};

/// What a decoder keeps of the tokens that it has read. KeysAndValues: those of every attention, unless the model has a
/// stepObstacle(). Tokens: nothing else, so that every step reads all of them again.
enum class DecodingMemory { KeysAndValues, Tokens };

/// The state of an incremental decoder (DecodingMemory). The model must outlive it. One thread at a time.
class DecodingState {
public:
    virtual ~DecodingState() = default;
    /// Reads the next T tokens of every row and returns their hidden states [B,T,W], equal up to rounding to those of
    /// Model::decode over all tokens read. Not for training.
    virtual at::Tensor step(const at::Tensor& ids_BT, const Forward& f) = 0;
    /// Row i becomes the former row rows[i]; rows may be dropped or repeated.
    virtual void reorder(const std::vector<std::int64_t>& rows) = 0;
    virtual std::int64_t length() const = 0;  ///< tokens read by every row
};

/// A decoder state whose steps a device can capture and replay: its tensors have fixed addresses, and the position is read from
/// device memory. The model must outlive it. One thread at a time.
class ReplayableState {
public:
    virtual ~ReplayableState() = default;
    /// Resets the state and reads the first T tokens of every row, as DecodingState::step does. The memory has one row for each
    /// row of ids. All sizes but T must equal those of the first call.
    virtual at::Tensor begin(const Memory& memory, const at::Tensor& ids_RT, const Forward& f) = 0;
    /// Reads one token of every row at position_1 (int64 [1]), the next position; returns hidden states [R,1,W]. Can be
    /// captured: the arguments are its only changing inputs.
    virtual at::Tensor step(const at::Tensor& ids_R1, const at::Tensor& position_1, const Forward& f) = 0;
    /// Row i becomes the former row rows_R[i], which must have the same memory. Can be captured, likewise.
    virtual void reorder(const at::Tensor& rows_R) = 0;
};

/// A network built from a resolved variant. Owns its parameters. Forward passes are const; one thread at a time.
class Model {
public:
    virtual ~Model() = default;

    /// Source → hidden [B,S,W] after the encoder stack: a decoder's memory, or the head's input. W is D, or 2·D for a
    /// bidirectional recurrent network.
    virtual at::Tensor encode(const ModelInput& source, const Forward& f) const = 0;
    /// Target (kSos first) and memory → hidden_BTD after the decoder stack, before the head.
    virtual at::Tensor decode(const ModelInput& target, const Memory& memory, const Forward& f) const = 0;
    /// A decoder state over `memory` at position 0.
    virtual std::unique_ptr<DecodingState> startDecoding(const Memory& memory, DecodingMemory kept) const = 0;
    std::unique_ptr<DecodingState> startDecoding(const Memory& memory) const {
        return startDecoding(memory, DecodingMemory::KeysAndValues);
    }
    /// Why decoding must re-read the whole prefix at every position, with the path of the obstacle; empty: incremental decoding
    /// works.
    virtual std::string stepObstacle() const = 0;
    /// A decoder state for captured steps over at most `capacity` positions. Requires an empty stepCaptureObstacle().
    virtual std::unique_ptr<ReplayableState> makeReplayableState(std::int64_t capacity) const = 0;
    /// Why a device cannot capture and replay a decoding step, with the path of the obstacle; empty: it can.
    virtual std::string stepCaptureObstacle() const = 0;
    /// Why a device cannot capture and replay a training step, with the path of the obstacle; empty: it can.
    virtual std::string captureObstacle() const = 0;
    /// hidden [B,S,W] of these ids → input of logits(): unchanged, or [B,W] when the head reads one vector per sequence. Ids
    /// undefined: there is no padding.
    virtual at::Tensor pool(const at::Tensor& hidden_BSW, const at::Tensor& ids_BS, const Forward& f) const = 0;
    /// hidden [...,W] → logits [...,V] or [...,C].
    virtual at::Tensor logits(const at::Tensor& hidden) const = 0;
    virtual bool headReadsReduced() const { return false; }  ///< Head::readsReduced()

    virtual ParameterStore& parameters() = 0;
    virtual const ParameterStore& parameters() const = 0;
    virtual const ResolvedVariant& variant() const = 0;
    /// Moves every parameter and buffer; parameters stay leaves that require grad.
    virtual void to(const at::Device& device) = 0;
    /// Paths of the attention sublayers ("decoder.layers.1.cross"), in order; their taps are "<path>.weight"/"score".
    virtual std::vector<std::string> attentionPaths() const = 0;
};

/// What a model of a variant reads.
struct ModelReads {
    bool source = false;               ///< it has an encoder
    bool target = false;               ///< it has a decoder
    std::optional<PatchForm> patches;  ///< the source is patches of images; none: token ids
};
ModelReads readsOf(const ResolvedVariant& variant);

/// Returns the hidden states of the decoder over the target, or without a decoder those of the encoder over the source.
at::Tensor hiddenOf(const Model& model, const ModelInput& source, const ModelInput& target, const Forward& f);
/// Returns the hidden states as the head reads them: unchanged, or pooled over their ids (Model::pool).
at::Tensor headInputOf(const Model& model, const ModelInput& source, const ModelInput& target, const Forward& f);

/// Builds the model. Parameters are initialised on the CPU from (seed, path).
std::unique_ptr<Model> buildModel(const ResolvedVariant& variant, std::uint64_t seed, at::ScalarType type = at::kFloat);

/// The same module tree with parameters on the meta device: sizes without values or memory, for counting.
std::unique_ptr<Model> outlineModel(const ResolvedVariant& variant);

}  // namespace heddle
