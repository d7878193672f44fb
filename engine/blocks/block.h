// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shape legend: B batch, S/Q/K sequence (query, key), D model width, H heads, E key width per head, F feed-forward width,
// V vocabulary.

#include "engine/blocks/choices.h"
#include "engine/blocks/linear_input.h"
#include "engine/blocks/parameters.h"
#include "engine/blocks/taps.h"
#include "engine/device/random.h"
#include "engine/spec/catalogue.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace heddle {

/// Context of a forward pass: the random key of the step, the training mode and the taps.
struct Forward {
    bool training = false;
    std::uint64_t seed = 0, step = 0;
    std::uint32_t microStep = 0;
    /// Device addresses of the step and of RandomKey::countersAt, for captured steps; null: `step` and `microStep`.
    const std::int64_t *stepAt = nullptr, *countersAt = nullptr;
    at::Tensor partOfStep = {};  ///< sentences of this micro-batch ÷ sentences of the step, float64 scalar; undefined: 1
    Taps* taps = nullptr;        ///< null: no taps
    /// Reference: every block uses its readable path even if a fused one exists (tests compare the two).
    enum class Path { Fused, Reference } path = Path::Fused;
    RandomKey key(const std::string& stream) const;
    /// Dropout with probability p on the random stream of that name; identity when not training or p = 0.
    at::Tensor dropout(const at::Tensor& x, double p, const std::string& stream) const;
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& x) const {
        return taps ? taps->pass(module, exposure, x) : x;
    }
    bool wants(const std::string& module, const char* exposure) const { return taps && taps->wants(module, exposure); }
    bool replaces(const std::string& module, const char* exposure) const { return taps && taps->replaces(module, exposure); }
};

/// Base of all blocks. A factory makes a block from a BuildContext; afterwards it is const.
class Block {
public:
    Block() = default;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    virtual ~Block() = default;
};

/// Returns act(x), of the shape of x.
at::Tensor activated(Activation act, const BiasedProduct& x);

// One interface per slot.

class Init : public Block {  // slot "init"
public:
    /// Initial values, float64 on the CPU, determined by `key`. A matrix is [out,in].
    virtual at::Tensor matrix(const RandomKey& key, at::IntArrayRef sizes) const = 0;
    /// A vector of a layer that reads `fanIn` values (0: unknown). Default: U(±1/√fanIn).
    virtual at::Tensor vector(const RandomKey& key, at::IntArrayRef sizes, std::int64_t fanIn) const;
    /// An embedding table [V,D]; `deviation` is the block's preferred standard deviation, which the init may ignore. Default: a
    /// matrix.
    virtual at::Tensor table(const RandomKey& key, at::IntArrayRef sizes, double deviation) const;
    /// Standard deviation of the values of matrix() of these sizes.
    virtual double matrixDeviation(at::IntArrayRef sizes) const = 0;
    /// Likewise of table(). Default: a matrix.
    virtual double tableDeviation(at::IntArrayRef sizes, double deviation) const;
    /// Whether the maps that end a sublayer's branch (Initial::endsBranch) start at 0 instead.
    virtual bool zeroesBranchEnds() const { return false; }
};

class Embedding : public Block {  // slot "embed"
public:
    enum class Side { Source, Target };
    struct Input {
        at::Tensor ids_BS;         ///< images: patches [B,S,P]
        at::Tensor types_BS = {};  ///< token types; undefined: all of type 0
        at::Tensor order_N = {};   ///< positions ascending by id, for the gradient (embeddedRows); undefined: not known
    };
    /// Scaled vectors [B,S,D].
    virtual at::Tensor embed(Side side, const Input& in) const = 0;
    /// Norm and dropout after the position has been added.
    virtual at::Tensor finish(Side side, const at::Tensor& x_BSD, const Forward& f) const = 0;
    /// Which positions of the result of embed() are padding: bool [B,S]; undefined: none. Default: ids equal to kPad.
    virtual at::Tensor padding(const at::Tensor& ids_BS) const;
    virtual const at::Tensor& table(Side side) const = 0;  ///< [V,D]; undefined: no table
    virtual bool tiesOutput() const = 0;                   ///< the head shares the target table as its weight
};

class Position : public Block {  // slot "position"
public:
    using Where = PositionWhere;
    virtual Where where() const = 0;
    /// x_BSD of absolute positions first…first+S-1 → x with positions added.
    virtual at::Tensor add(const at::Tensor& x_BSD, std::int64_t first) const = 0;
};

class Share : public Block {  // slot "share" of a stack
public:
    /// Applies layer `layer` to h_BSD.
    using Step = std::function<at::Tensor(std::int64_t layer, const at::Tensor& h_BSD)>;
    /// The stack's output for its initial state h_BSD, with `layers` passes.
    virtual at::Tensor run(const at::Tensor& h_BSD, std::int64_t layers, const Step& step, const Forward& f) const = 0;
};

class Start : public Block {  // slot "h0" of a stack
public:
    /// h⁰ from the stack's input x_BSD.
    virtual at::Tensor start(const at::Tensor& x_BSD) const = 0;
};

class Mask : public Block {  // slot "mask"
public:
    virtual bool hidesPadding() const = 0;
    virtual bool hidesFuture() const = 0;  ///< keys after the query
    /// Keys this many positions or more away from the query are hidden; 0: the distance does not matter.
    virtual std::int64_t window() const { return 0; }
    /// That many first keys are visible whatever their distance.
    virtual std::int64_t sinks() const { return 0; }
};

/// Where the rows of a step stand in their sequence.
struct StepPosition {
    std::int64_t first = 0;      ///< position of the first row
    at::Tensor onDevice_1 = {};  ///< int64 [1]: position of the only row of a replayed step; undefined: use `first`
    at::Tensor places_BS = {};   ///< int64 [B,S]: positions in the documents of a sequence; undefined: it is one document
};

/// What scores know of the places of queries and keys. A scorer applies it to its projections and scores.
class RelativePosition : public Block {  // slot "relative"
public:
    /// Projected queries or keys x [B,H,S,E] of the rows at these positions, changed by them. Default: unchanged.
    virtual at::Tensor placed(const at::Tensor& x_BHSE, const StepPosition& at) const;
    /// True if biased() adds to the scores, so that they are not products of queries and keys.
    virtual bool changesScores() const { return false; }
    /// The scores of queries at these positions with a term for the distance; the first key is at position 0. Default:
    /// unchanged.
    virtual at::Tensor biased(const at::Tensor& score_BHQK, const StepPosition& at) const;
};

class Scorer : public Block {  // slot "scorer"
public:
    /// Raw scores before any mask. q [B,Q,D], k [B,K,D] → [B,H,Q,K].
    virtual at::Tensor score(const LinearInput& q, const LinearInput& k, const Forward& f) const = 0;

    /// The projections of q and of k in score(), which may be computed jointly with others of the same input.
    virtual std::vector<const Linear*> queryMaps() const { return {}; }
    virtual std::vector<const Linear*> keyMaps() const { return {}; }

    /// The factors of scores of the form scale · q kᵀ, for fused attention.
    struct Product {
        at::Tensor q_BHQE, k_BHKE;
        double scale = 1;
    };
    virtual std::optional<Product> product(const LinearInput& q, const LinearInput& k) const;  ///< default: not a product

    /// True if score() returns the attention weights: no rule, mask or normaliser follows.
    virtual bool givesWeights() const { return false; }

    virtual bool isWatched(const Forward& f) const = 0;   ///< a tap wants the scores
    virtual bool isReplaced(const Forward& f) const = 0;  ///< a tap replaces the scores
};

/// The score of a hidden key. Finite, so that a row without visible keys (only padding) does not give NaN; so low that
/// exp(kHiddenScore − max) is exactly 0; representable in bfloat16.
inline constexpr double kHiddenScore = -1e30;

/// The scores of an attention that later layers of its site may read; [B,H,Q,K] each.
struct ScoreRecord {
    at::Tensor raw;                         ///< the layer's own scores
    at::Tensor sum;                         ///< including carried scores, before mask and mean
    at::Tensor weight;                      ///< after the normaliser
    const class ScoreRule* rule = nullptr;  ///< the layer's rule
};
/// The records of one site, one per layer, the first layer first.
using ScoreChain = std::vector<ScoreRecord>;

class ScoreRule : public Block {  // slot "score"
public:
    /// Inputs of the rule besides this layer's scores. hidden: bool, broadcast to [B,H,Q,K]; undefined: all keys are visible.
    struct Earlier {
        const ScoreChain& chain;
        const at::Tensor& hidden;
    };
    struct Sum {
        at::Tensor carried;  ///< `sum` of the layer's ScoreRecord
        at::Tensor logits;   ///< input of mask and normaliser
    };
    virtual Sum add(const at::Tensor& raw_BHQK, const Earlier& earlier, const Forward& f) const = 0;
    /// T′(prev) by this layer's gate, for a later layer that reads this layer's scores (owner = producer). `offset`: distance
    /// of the reading layer. Default: undefined, no gate.
    virtual at::Tensor gateFor(std::int64_t offset, const at::Tensor& prev_BHQK, const Forward& f) const;
};

class LogitCap : public Block {  // slot "cap"
public:
    virtual bool caps() const { return false; }  ///< whether capped() changes anything
    /// The logits [B,H,Q,K] before the mask, bounded.
    virtual at::Tensor capped(const at::Tensor& logits_BHQK, const Forward& f) const = 0;
};

class Normaliser : public Block {  // slot "normaliser"
public:
    /// logits_BHQK, hidden keys at kHiddenScore → weights. The weights of a query sum to 1 in each head; with sink to less,
    /// with differential to 1 − λ, and with talking heads they are a mix of such weights.
    virtual at::Tensor normalise(const at::Tensor& logits_BHQK) const = 0;
    virtual bool isSoftmax() const { return false; }  ///< the normaliser of fused attention
};

class Selector : public Block {  // slot "selector"
public:
    /// Inputs of the selection: the scorer's queries and keys, and the values.
    struct Inputs {
        at::Tensor q_BHQE, k_BHKE;
        double scale = 1;  ///< the scores are scale · q kᵀ
        at::Tensor v_BHKE;
        const at::Tensor& hidden;           ///< bool, broadcast to [B,H,Q,K]; undefined: all keys are visible
        at::Tensor padding_BK;              ///< bool, padding, even if the mask shows it; undefined: no padding
        bool hidesFuture = false;           ///< causal mask
        std::function<at::Tensor()> dense;  ///< attention weights of all visible keys [B,H,Q,K], without gradient
    };
    /// The values are mixed by scale ⊙ weights + rest, where the weights are those of the chosen keys.
    struct Choice {
        at::Tensor hidden_BHQK;  ///< bool: keys that are not visible or not chosen
        at::Tensor scale_BHQ1, rest_BHQK;
        at::Tensor objective;  ///< auxiliary loss, a scalar; undefined: none
    };
    virtual Choice choose(const Inputs& in, const Forward& f) const = 0;
    virtual bool selects() const { return true; }  ///< false: every visible key keeps its weight
};

/// The values of the attentions of one site, each as its layer projects them, in the order of the layers: [B,G,K,E], or
/// [B,H,K,E] where the heads of a group are repeated.
using ValueChain = std::vector<at::Tensor>;

class ValueCarry : public Block {  // slot "value_carry"
public:
    virtual bool carries() const { return false; }  ///< whether mixed() changes anything
    /// This layer's values, mixed with those of earlier layers.
    virtual at::Tensor mixed(const at::Tensor& own_BGKE, const ValueChain& earlier, const Forward& f) const = 0;
};

class Value : public Block {  // slot "value"
public:
    /// weights_BHQK (after softmax and dropout), x [B,K,D] → [B,Q,D] before/after the output projection as the block defines.
    /// `inner` is applied to the merged heads before the output projection; null: no adjuster stands there.
    virtual BiasedProduct aggregate(const at::Tensor& weights_BHQK, const LinearInput& x, const struct InnerAdjuster* inner,
                                    const Forward& f) const = 0;

    /// The projections of x in aggregate(), which may be computed jointly with others of x.
    virtual std::vector<const Linear*> maps() const { return {}; }

    /// The parts of an aggregation of the form weights · N(v) per head, for fused attention and for values of earlier layers.
    virtual at::Tensor heads(const LinearInput& x) const;  ///< v [B,H,K,E]; default: undefined, another form
    /// N of values that heads() or IncrementalValue::keep() gave, mixed with those of earlier layers. Default: unchanged.
    virtual at::Tensor normedValues(const at::Tensor& v_BGKE) const;
    virtual BiasedProduct merge(const at::Tensor& heads_BHQE, const struct InnerAdjuster* inner, const Forward& f) const;
};

class DirectPath : public Block {  // slot "direct"
public:
    /// The stack's input x [B,S,D] → the term beside the mixed values; undefined: none.
    virtual at::Tensor path(const LinearInput& x) const = 0;
    /// The projections of x in path(), which may be computed jointly with those of other layers.
    virtual std::vector<const Linear*> maps() const { return {}; }
};

class Combine : public Block {  // slot "combine"
public:
    struct Inputs {
        const at::Tensor& mixed;   ///< A: the values mixed by the weights, [B,S,D]
        const at::Tensor& direct;  ///< output of the direct path; undefined: none
        const at::Tensor& stream;  ///< h: the mixer's input
        const at::Tensor& input;   ///< x: the stack's input
        at::Tensor& cell;          ///< cell state c, passed from layer to layer; undefined in the first
    };
    virtual at::Tensor combine(const Inputs& in, const Forward& f) const = 0;
    virtual bool combines() const { return true; }  ///< false: combine() returns A + V x, or A alone
};

class Recurrence : public Block {  // slot "recurrence"
public:
    /// x_BSD; padding_BS bool or undefined → [B,S,2·D], both directions concatenated.
    virtual at::Tensor read(const at::Tensor& x_BSD, const at::Tensor& padding_BS) const = 0;
};

class Parallel : public Block {  // slot "parallel"
public:
    /// The term added to the sublayer's output; undefined: none. u: the mixer's input.
    virtual at::Tensor beside(const at::Tensor& u_BSD, const Forward& f) const = 0;
    virtual bool adds() const { return true; }  ///< false: there is never such a term
};

class Adjuster : public Block {  // slot "adjuster"
public:
    using Place = AdjusterPlace;
    virtual Place place() const { return Place::AttentionOutput; }
    /// Returns x_BSD, the tensor at place(), adjusted. u_BSD is the mixer's input, which the adjuster may read too.
    virtual at::Tensor adjust(const at::Tensor& x_BSD, const at::Tensor& u_BSD, const Forward& f) const = 0;
    virtual bool adjusts() const { return true; }  ///< false: adjust() returns x
};

/// An adjuster before the output projection, with the mixer's input u_BSD. The value block applies it to the merged heads.
struct InnerAdjuster {
    const Adjuster& adjuster;
    const at::Tensor& u_BSD;
    at::Tensor adjust(const at::Tensor& merged_BQD, const Forward& f) const { return adjuster.adjust(merged_BQD, u_BSD, f); }
};

class Residual : public Block {  // slot "residual"
public:
    /// r: un-normalised skip value; u: the mixer's input (N(r) if the norm is before it); s: sublayer output. → [B,S,D]
    virtual at::Tensor join(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const at::Tensor& s_BSD,
                            const Forward& f) const = 0;
};

class Norm : public Block {  // slot "norm"
public:
    using Place = NormPlace;
    virtual Place place() const = 0;
    /// Of the mixer's input, or of the stream after the residual connection.
    virtual at::Tensor normalise(const at::Tensor& x_BSD) const = 0;
    /// Of what stands behind the sublayer, by the second norm of a place that has two: of its output before the residual
    /// connection, or of the stream after it. Default: normalise().
    virtual at::Tensor normaliseAgain(const at::Tensor& x_BSD) const { return normalise(x_BSD); }
    virtual bool norms() const { return true; }  ///< false: both return x
};

class Dropout : public Block {  // slot "dropout"
public:
    using Order = DropoutOrder;
    virtual Order order() const = 0;
    virtual at::Tensor sublayer(const at::Tensor& s_BSD, const Forward& f) const = 0;
    virtual at::Tensor attention(const at::Tensor& weights_BHQK, const Forward& f) const = 0;
    virtual bool dropsAttention(const Forward& f) const = 0;
    /// False where this step leaves the whole sublayer out, so that the stream stays as it is: bool [1] on the device of
    /// `options`; undefined (default): no step does.
    virtual at::Tensor keepsSublayer(const at::TensorOptions& options, const Forward& f) const;
};

class FeedForward : public Block {  // slot "ffn"
public:
    virtual BiasedProduct transform(const at::Tensor& x_BSD, const Forward& f) const = 0;
};

class Head : public Block {  // slot "head"
public:
    /// The input of logits(): hidden_BSW, padding_BS bool or undefined → [B,S,W] (default: unchanged), or [B,W] for one vector
    /// per sequence.
    virtual at::Tensor pool(const at::Tensor& hidden_BSW, const at::Tensor& padding_BS, const Forward& f) const;
    /// hidden [...,W] → logits [...,V or C].
    virtual at::Tensor logits(const at::Tensor& hidden) const = 0;
    /// Whether logits() only multiplies `hidden` by a weight. It may then be given the bfloat16 copy of `hidden` that the
    /// product would make in a ReducedScope (engine/kernels/reduced.h).
    virtual bool readsReduced() const { return false; }
};

/// The inputs of a block's factory. `scope` is the block's own path ("encoder.layers.0.self.residual").
struct BuildContext {
    ParameterScope scope;
    BlockContext where;
    Json params;
    at::ScalarType type = at::kFloat;
    at::Tensor tied;  ///< head: the embedding table that is its weight; undefined: the head has its own
    const RelativePosition* relative = nullptr;  ///< scorer: the positions that it applies; must outlive it; null: none
};

/// Builds the block with this slot and id; throws Error if the catalogue does not have it.
std::unique_ptr<Block> makeBlock(const std::string& slot, const std::string& id, const BuildContext& context);

}  // namespace heddle
