// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shape legend: B batch, S/Q/K sequence (query, key), D model width, H heads, E key width per head, F feed-forward width,
// V vocabulary.

#include "engine/blocks/parameters.h"
#include "engine/blocks/taps.h"
#include "engine/device/random.h"
#include "engine/spec/block_descriptor.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

namespace heddle {

/// What a forward pass carries along: the random key of this step, whether it trains, and who watches.
struct Forward {
    bool training = false;
    std::uint64_t seed = 0, step = 0;
    std::uint32_t microStep = 0;
    Taps* taps = nullptr;  ///< null: nobody watches
    /// Reference: every block by its readable path, also where a fused one exists (tests compare the two).
    enum class Path { Fused, Reference } path = Path::Fused;
    /// Dropout with probability p on the random stream of that name: identity when not training or p = 0.
    at::Tensor dropout(const at::Tensor& x, double p, const std::string& stream) const;
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& x) const {
        return taps ? taps->pass(module, exposure, x) : x;
    }
    bool wants(const std::string& module, const char* exposure) const { return taps && taps->wants(module, exposure); }
    bool replaces(const std::string& module, const char* exposure) const { return taps && taps->replaces(module, exposure); }
};

/// What every slot's interface has in common: a block is made by its factory from a BuildContext and is const afterwards.
class Block {
public:
    Block() = default;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    virtual ~Block() = default;
};

// One interface per slot.

class Init : public Block {  // slot "init"
public:
    /// First values, float64 on the CPU, drawn from `key` alone. A matrix is [out,in].
    virtual at::Tensor matrix(const RandomKey& key, at::IntArrayRef sizes) const = 0;
    /// A vector that belongs to a layer which reads `fanIn` values (0: nothing to go by). Default: U(±1/√fanIn).
    virtual at::Tensor vector(const RandomKey& key, at::IntArrayRef sizes, std::int64_t fanIn) const;
    /// A table [V,D] of vectors; `deviation` is what the block would like where the rule lets it choose. Default: a matrix.
    virtual at::Tensor table(const RandomKey& key, at::IntArrayRef sizes, double deviation) const;
};

class Embedding : public Block {  // slot "embed"
public:
    enum class Side { Source, Target };
    /// ids_BS → scaled vectors [B,S,D].
    virtual at::Tensor look(Side side, const at::Tensor& ids_BS) const = 0;
    /// Dropout after the position has been added.
    virtual at::Tensor drop(Side side, const at::Tensor& x_BSD, const Forward& f) const = 0;
    virtual const at::Tensor& table(Side side) const = 0;
    virtual bool tiesOutput() const = 0;  ///< the target table is the head's weight too
};

class Position : public Block {  // slot "position"
public:
    /// x_BSD of absolute positions first…first+S-1 → x with positions added.
    virtual at::Tensor add(const at::Tensor& x_BSD, std::int64_t first) const = 0;
};

class Scorer : public Block {  // slot "scorer"
public:
    /// Raw scores before any mask. q_BQD, k_BKD → [B,H,Q,K].
    virtual at::Tensor score(const at::Tensor& q_BQD, const at::Tensor& k_BKD, const Forward& f) const = 0;

    /// Scores that are scale · q kᵀ, as their factors: what a fused attention needs.
    struct Product {
        at::Tensor q_BHQE, k_BHKE;
        double scale = 1;
    };
    virtual std::optional<Product> product(const at::Tensor& q_BQD, const at::Tensor& k_BKD) const;  ///< default: not a product

    virtual bool isWatched(const Forward& f) const = 0;   ///< somebody wants the scores
    virtual bool isReplaced(const Forward& f) const = 0;  ///< somebody changes the scores
};

class Value : public Block {  // slot "value"
public:
    /// weights_BHQK (after softmax and dropout), x_BKD → [B,Q,D] before/after the output projection as the block defines.
    /// `inner` is applied to the merged heads before the output projection (EAU's before_wo); may be null.
    virtual at::Tensor aggregate(const at::Tensor& weights_BHQK, const at::Tensor& x_BKD, const class Adjuster* inner,
                                 const Forward& f) const = 0;

    /// An aggregation that is weights · v per head, as its halves: what a fused attention needs.
    virtual at::Tensor heads(const at::Tensor& x_BKD) const;  ///< [B,H,K,E]; default: undefined, not of that form
    virtual at::Tensor merge(const at::Tensor& heads_BHQE, const class Adjuster* inner, const Forward& f) const;
};

class Adjuster : public Block {  // slot "adjuster"
public:
    /// Where in the sublayer: on the mixer's output, on the merged heads before the output projection, or on the stream after
    /// residual and norm (variants.md section 0, table 1.10 E1).
    enum class Place { AttentionOutput, BeforeOutputProjection, BeforeFeedForward };
    virtual Place place() const { return Place::AttentionOutput; }
    virtual at::Tensor adjust(const at::Tensor& x_BSD, const Forward& f) const = 0;
};

class Residual : public Block {  // slot "residual"
public:
    /// r: un-normalised skip value; u: what the mixer saw (N(r) if pre-norm); s: sublayer output. → [B,S,D]
    virtual at::Tensor join(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const at::Tensor& s_BSD,
                            const Forward& f) const = 0;
};

class Norm : public Block {  // slot "norm"
public:
    enum class Place { Pre, Post };
    virtual Place place() const = 0;
    virtual at::Tensor normalise(const at::Tensor& x_BSD) const = 0;
};

class Dropout : public Block {  // slot "dropout"
public:
    enum class Order { AfterAdjuster, BeforeAdjuster };
    virtual Order order() const = 0;
    virtual at::Tensor sublayer(const at::Tensor& s_BSD, const Forward& f) const = 0;
    virtual at::Tensor attention(const at::Tensor& weights_BHQK, const Forward& f) const = 0;
    virtual bool dropsAttention(const Forward& f) const = 0;
};

class FeedForward : public Block {  // slot "ffn"
public:
    virtual at::Tensor transform(const at::Tensor& x_BSD, const Forward& f) const = 0;
};

class Head : public Block {  // slot "head"
public:
    /// hidden [...,D] → logits [...,V].
    virtual at::Tensor logits(const at::Tensor& hidden) const = 0;
};

/// Everything a block is built from. `scope` is the block's own path ("encoder.layers.0.self.residual").
struct BuildContext {
    ParameterScope scope;
    BlockContext where;
    Json params;
    at::ScalarType type = at::kFloat;
    at::Tensor tied;  ///< head: the embedding table to use as its weight; undefined: a weight of its own
};

/// Builds the block with this slot and id; throws Error for one that is not in the catalogue.
std::unique_ptr<Block> makeBlock(const std::string& slot, const std::string& id, const BuildContext& context);

}  // namespace heddle
