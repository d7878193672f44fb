// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/incremental.h"
#include "engine/model/attention_cache.h"

#include <array>
#include <map>
#include <optional>
#include <string>

namespace heddle {

class KeyMasks;

/// Which keys a query may see. Its tensors are made when they are first asked for.
class AttentionMask {
public:
    AttentionMask(const KeyMasks& keys, bool hidesPadding, bool hidesFuture)
        : keys_(keys), hidesPadding_(hidesPadding), hidesFuture_(hidesFuture) {}

    const at::Tensor& hidden() const;  ///< bool, broadcast to [B,H,Q,K], true: not visible; undefined: everything is visible
    const at::Tensor& bias() const;    ///< the same as numbers to add to scores (0 or kHiddenScore); undefined with hidden()
    /// Whether the queries that are no padding see the keys up to their own place, neither more nor fewer. Padding stands at
    /// the end of a row, so that no such query would see it.
    bool isCausal() const;

private:
    at::Tensor makeHidden() const;

    const KeyMasks& keys_;
    bool hidesPadding_, hidesFuture_;
    mutable std::optional<at::Tensor> hidden_, bias_;
};

/// The masks over one sequence of keys, shared by all layers of the pass.
class KeyMasks {
public:
    /// padding_BK: bool, true where there is no key; undefined: all are keys. `options`: type and device of the scores. The
    /// queries that a mask of the future knows are the keys from `queries` on.
    KeyMasks(at::Tensor padding_BK, std::int64_t keys, const at::TensorOptions& options, StepPosition queries = {})
        : padding_BK_(std::move(padding_BK)), keys_(keys), queries_(std::move(queries)), options_(options) {}
    KeyMasks(const KeyMasks& other) : KeyMasks(other.padding_BK_, other.keys_, other.options_, other.queries_) {}
    KeyMasks& operator=(const KeyMasks&) = delete;
    const AttentionMask& of(const Mask& choice) const;
    const at::Tensor& padding() const { return padding_BK_; }  ///< [B,K] or undefined
    std::int64_t keys() const { return keys_; }
    const StepPosition& queries() const { return queries_; }
    const at::TensorOptions& options() const { return options_; }

private:
    at::Tensor padding_BK_;
    std::int64_t keys_;
    StepPosition queries_;
    at::TensorOptions options_;
    mutable std::array<std::optional<AttentionMask>, 4> made_;
};

/// What the layers of one stack hand to each other in one pass.
struct PassState {
    std::map<std::string, ScoreChain> chains;  ///< by the sublayer's name
    at::Tensor cell;                           ///< of recurrent combinations, [B,S,D]; undefined before the first
};

/// What a mixer may read besides its own stream; the same for a whole stack.
struct MixContext {
    const KeyMasks* self = nullptr;
    const KeyMasks* cross = nullptr;  ///< of the memory; decoder of an encoder–decoder only
    at::Tensor memory_BKD;            ///< the encoder's output; likewise
    at::Tensor input_BSD;             ///< what the stack was given; set by the stack
    PassState* state = nullptr;       ///< set by the stack
    StepPosition position;            ///< of the stream's rows
    AttentionCache* cache = nullptr;  ///< what earlier positions left; null: the stream is the whole sequence
};

/// What stands in the middle of a sublayer: s = mixer(u, context) of variants.md section 0.
class Mixer {
public:
    virtual ~Mixer() = default;
    /// `inner` adjusts the merged heads before the output projection; null unless an adjuster asks for that place.
    virtual at::Tensor mix(const at::Tensor& u_BSD, const Adjuster* inner, const MixContext& context,
                           const Forward& f) const = 0;
    /// Why it cannot go on from where it stopped in such steps, with its path; empty: it can.
    virtual std::string stepObstacle(Steps steps) const = 0;
};

}  // namespace heddle
