// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/fusing.h"
#include "engine/blocks/incremental.h"
#include "engine/blocks/streams.h"
#include "engine/model/attention_cache.h"

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

class KeyMasks;

/// Which keys a query may see. The tensors are computed on first use.
class AttentionMask {
public:
    /// What is hidden, as the block of slot "mask" states it.
    struct Hides {
        bool padding = false, future = false;
        std::int64_t window = 0, sinks = 0;
        auto operator<=>(const Hides&) const = default;
    };
    AttentionMask(const KeyMasks& keys, const Hides& hides) : keys_(keys), hides_(hides) {}

    const at::Tensor& hidden() const;  ///< bool, broadcast to [B,H,Q,K], true: hidden; undefined: all keys are visible
    /// Additive form, 0 or kHiddenScore; undefined when hidden() is. All 0 for a query that sees no key: padding, whose result
    /// nobody reads.
    const at::Tensor& bias() const;
    /// Whether every query that is not padding sees exactly the keys up to its own position: padding at the end of a row is
    /// not among them.
    bool isCausal() const;

private:
    at::Tensor makeHidden() const;

    const KeyMasks& keys_;
    Hides hides_;
    mutable std::optional<at::Tensor> hidden_, bias_;
};

/// The number of every token's document and the token's position in it, int64 [B,S]; undefined: each row is one document.
struct DocumentPlaces {
    at::Tensor number_BS, place_BS;
};
/// Returns the numbers with the positions that follow from them; undefined for undefined numbers.
DocumentPlaces placesIn(const at::Tensor& documents_BS);

/// Where a sequence of keys has padding.
struct KeyPadding {
    KeyPadding() = default;
    KeyPadding(at::Tensor paddingAt_BK, bool onlyAtEnd = true) : at_BK(std::move(paddingAt_BK)), isAtEndOnly(onlyAtEnd) {}
    at::Tensor at_BK;         ///< bool, true at padding; undefined: no padding
    bool isAtEndOnly = true;  ///< no other key of a row follows it
};

/// The masks over one sequence of keys, shared by all layers of a pass.
class KeyMasks {
public:
    /// `options`: type and device of the scores. The queries of a causal mask are the positions from `queries` on.
    KeyMasks(KeyPadding padding, std::int64_t keys, const at::TensorOptions& options, StepPosition queries = {})
        : padding_(std::move(padding)), keys_(keys), queries_(std::move(queries)), options_(options) {}
    KeyMasks(const KeyMasks& other)
        : padding_(other.padding_),
          keys_(other.keys_),
          queries_(other.queries_),
          options_(other.options_),
          documents_(other.documents_) {}
    KeyMasks& operator=(const KeyMasks&) = delete;
    /// Hides the keys of other documents than the query's, whatever the masks say. Queries are the keys' own sequence, all of
    /// it.
    void separate(DocumentPlaces documents) { documents_ = std::move(documents); }
    const AttentionMask& of(const Mask& choice) const;
    const at::Tensor& padding() const { return padding_.at_BK; }  ///< [B,K] or undefined
    bool isPaddedAtEndOnly() const { return padding_.isAtEndOnly; }
    std::int64_t keys() const { return keys_; }
    const StepPosition& queries() const { return queries_; }
    const at::TensorOptions& options() const { return options_; }
    const DocumentPlaces& documents() const { return documents_; }

private:
    KeyPadding padding_;
    std::int64_t keys_;
    StepPosition queries_;
    at::TensorOptions options_;
    DocumentPlaces documents_;
    mutable std::map<AttentionMask::Hides, AttentionMask> made_;
};

/// A stream with its normalisation, where one pass computed both (engine/kernels/fused.h). Undefined: none.
struct NormedStream {
    at::Tensor of_BSD, normed_BSD;
    const AffineLayerNorm* by = nullptr;

    /// The normalisation of x by this norm; undefined if it is another one's, or of another stream.
    at::Tensor normed(const at::Tensor& x_BSD, const AffineLayerNorm* norm) const {
        return norm && norm == by && x_BSD.is_same(of_BSD) ? normed_BSD : at::Tensor();
    }
};

/// State that the layers of a stack share during one pass.
struct PassState {
    std::map<std::string, ScoreChain> chains;  ///< by the sublayer's name
    std::map<std::string, ValueChain> values;  ///< likewise
    at::Tensor cell;                           ///< cell state of recurrent combinations, [B,S,D]; undefined before the first
    DepthStates depth;                         ///< of residual blocks over depth; empty if the stack has none
    NormedStream stream;                       ///< what the last sublayer gave
};

/// Inputs of a mixer besides its stream; the same for a whole stack.
struct MixContext {
    const KeyMasks* self = nullptr;
    const KeyMasks* cross = nullptr;  ///< masks over the memory; only in the decoder of an encoder–decoder
    at::Tensor memory_BKD;            ///< encoder output; likewise
    LinearInput memory = {};          ///< the same with its projections by all layers; set by the stack, undefined: not made
    LinearInput input;                ///< input [B,S,D] of the stack; set by the stack
    PassState* state = nullptr;       ///< set by the stack
    StepPosition position;            ///< of the stream's rows
    AttentionCache* cache = nullptr;  ///< key/value cache of earlier positions; null: the stream is the whole sequence
};

/// What a sublayer feeds its mixer.
struct MixInput {
    at::Tensor u_BSD;                   ///< the stream, after a norm that stands before the mixer
    at::Tensor k_BSD = {}, v_BSD = {};  ///< likewise for keys and values of attention to the stream itself; undefined: u
    /// Where a mixer that ends with a tanh puts its argument instead of computing the tanh; it then returns an undefined
    /// tensor. Null: it computes the tanh.
    std::optional<TanhCombining::Argument>* beforeTanh = nullptr;
};

/// The function of a sublayer: s = mixer(u, context) of variants.md section 0.
class Mixer {
public:
    virtual ~Mixer() = default;
    /// `inner` adjusts the merged heads before the output projection; null: none.
    virtual BiasedProduct mix(const MixInput& of, const InnerAdjuster* inner, const MixContext& context,
                              const Forward& f) const = 0;
    /// The projections of the stack's input, which the stack may compute jointly for all its layers.
    virtual std::vector<const Linear*> inputMaps() const { return {}; }
    /// The projections of the memory, likewise.
    virtual std::vector<const Linear*> memoryMaps() const { return {}; }
    /// Why the mixer cannot decode incrementally in such steps, with its path; empty: it can.
    virtual std::string stepObstacle(Steps steps) const = 0;
};

}  // namespace heddle
