// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the CUDA kernels: plain pointers into one device's memory, without torch types. Names and shapes: legend of
// block.h; N rows. A tensor is contiguous unless its strides (in elements) are given.

#include "engine/base/philox.h"

#include <cstdint>

namespace heddle::cuda {

/// Maximum row length of the add-norm and score-weights kernels, in quads (elements.h).
inline constexpr std::int64_t kMostQuads = 2048;

/// Quads of a row held by one lane, and the number of lanes of the team that processes a row.
inline constexpr int kQuadsOfLane = 4, kMostLanes = 512;
constexpr int lanesFor(std::int64_t quads) {
    const std::int64_t needed = (quads + kQuadsOfLane - 1) / kQuadsOfLane;
    return needed <= 8 ? 8 : needed <= 32 ? 32 : needed <= 128 ? 128 : kMostLanes;
}

enum class ElementType { Float32, BFloat16 };

/// Dropout. Element e of the tensor (row-major) uses word e of the random stream (engine/device/random.cpp): below the
/// threshold it becomes 0, otherwise it is multiplied by the scale.
struct Drop {
    philox::Stream stream{};
    const std::int64_t* countersAt = nullptr;  ///< address of what replaces the stream's words (RandomKey); null: they stay
    std::uint32_t threshold = 0;               ///< 0: no dropout
    float scale = 1;
};

/// y = (x + Σ added) ⊙ drop, or max(x, 0) ⊙ drop.
struct DropoutArguments {
    const void* x;
    void* y;
    std::int64_t n;
    ElementType type;
    Drop drop;
    bool rectifies;
    static constexpr int kAdded = 3;
    const void* added[kAdded] = {};  ///< bfloat16; null: zeros
    void* y16 = nullptr;             ///< y in bfloat16; null: not computed
};

// Some elementwise kernels also add up a gradient [N,C] over its rows, for the gradient of a bias: `sums` [⌈N/rowsOfPart⌉,C]
// are partial sums over rowsOfPart rows; null: not computed. C is a multiple of 4.
template <class Arguments>
constexpr std::int64_t partsOfRows(const Arguments& a) {
    return (a.rows + a.rowsOfPart - 1) / a.rowsOfPart;
}
/// Blocks of columns in which each of so many threads has a quad.
template <class Arguments>
constexpr std::int64_t blocksOfColumns(const Arguments& a, int quads) {
    return (a.columns / 4 + quads - 1) / quads;
}

/// dx = 0 where y is 0, else dy · scale: backward of max(x, 0) ⊙ drop, with result y.
struct ReluDropoutBackwardArguments {
    std::int64_t rows, columns, rowsOfPart;
    const void *y, *dy;  ///< [N,C]
    void* dx;
    ElementType type;
    float scale;
    float* sums;  ///< of dx
};

/// GELU, x Φ(x), or its approximation by tanh (Hendrycks and Gimpel 2016).
enum class Gelu { Exact, Tanh };

/// dx = dy ⊙ gelu′(x).
struct GeluBackwardArguments {
    std::int64_t rows, columns, rowsOfPart;
    const void *x, *dy;  ///< [N,C]
    void* dx;
    ElementType type;
    Gelu form;
    float* sums;  ///< of dx
};

/// y = x + tanh(a) ⊙ sigmoid(e). x, y of streamType; a, e of type. The types are equal, or float32 and bfloat16.
struct AdjustArguments {
    const void *x, *a, *e;
    void* y;
    std::int64_t n;
    ElementType streamType, type;
};
/// dx is dy.
struct AdjustBackwardArguments {
    std::int64_t rows, columns, rowsOfPart;
    const void *dy, *a, *e;  ///< [N,C]
    void *da, *de;
    ElementType streamType, type;
    float *daSums, *deSums;
};

/// Layer normalisation of a residual sum, z = r + g ⊙ s ⊙ drop, y = (z - mean) / √(var + eps) · weight + bias, with g =
/// sigmoid(gate), or 1 when gate is null. The width is a multiple of 4. Where z is stored, backward reads it in place of r, and
/// of s, too, when there is no gate.
struct AddNormArguments {
    std::int64_t rows, width;
    const float* r;              ///< [N,D]
    const void *s, *gate;        ///< [N,D], of `type`
    const float *weight, *bias;  ///< [D]; backward needs no bias
    ElementType type;
    double eps;
    Drop drop;
    float *mean, *inverse;  ///< [N], saved for backward: mean and 1/√(var + eps)
    float* y;               ///< [N,D]; unused in backward
    void* y16 = nullptr;    ///< [N,D]: y in bfloat16; null: not computed
    float* z = nullptr;     ///< [N,D]; null: not stored
};
struct AddNormBackwardArguments {
    AddNormArguments forward;
    const float* dy;         ///< [N,D]; null: zeros
    float* dr;               ///< [N,D]
    void *ds, *dgate;        ///< [N,D], of forward.type; dgate null without a gate
    float *dweight, *dbias;  ///< [⌈N/rowsPerPartial⌉,D]: partial sums over rowsPerPartial rows
    std::int64_t rowsPerPartial;
    /// [N,D], bfloat16: gradients of y16 by two of its readers, added to dy; null: zeros
    const void *dy16 = nullptr, *otherDy16 = nullptr;
    const float* dz = nullptr;  ///< [N,D]: gradient of z by its other readers, added to that through y; null: zeros
    /// Partial sums of ds and dgate like those of dweight, for the gradients of biases; null: not computed, as in rows of more
    /// than kMostSummedQuads quads.
    float *dsSums = nullptr, *dgateSums = nullptr;
};
/// Longest row, in quads, whose kernel also computes dsSums and dgateSums. The team of longer rows has too few registers.
inline constexpr std::int64_t kMostSummedQuads = std::int64_t{128} * kQuadsOfLane;
/// Number of threads of smaller teams that fit on a multiprocessor at once, with the registers for all sums of a norm.
inline constexpr int kSummingThreads = 384;
/// Number of teams in a block. These teams add up their sums, and the block stores one sum. A team of more than 32 lanes is a
/// block of its own.
constexpr int teamsOfBlock(int lanes, int threads) { return lanes <= 32 ? threads / lanes : 1; }
/// Number of rows in the partial sum of a block. With so many, the blocks fill a large device once (132 multiprocessors of
/// `threads` threads): more partial sums cost more reads than they save, fewer leave multiprocessors idle. It depends on the
/// sizes only, so that every device adds in the same order.
constexpr std::int64_t rowsPerPartial(std::int64_t rows, std::int64_t width, int threads = kMostLanes) {
    const int lanes = lanesFor(width / 4), teams = teamsOfBlock(lanes, threads);
    const std::int64_t blocks = std::int64_t{132} * (threads > lanes * teams ? threads / (lanes * teams) : 1);
    const std::int64_t each = (rows + blocks - 1) / blocks;
    return each > teams ? each : teams;
}
/// Number of partial sums of so many rows.
constexpr std::int64_t partialsOf(std::int64_t rows, std::int64_t rowsPerPartial) {
    return (rows + rowsPerPartial - 1) / rowsPerPartial;
}

/// StarSaber's update (Xu et al. 2020, eq. 5): y = h + α ⊙ drop ⊙ tanh(a + direct). The width is a multiple of 4.
struct TanhUpdateArguments {
    std::int64_t rows, width;
    const float* h;              ///< [N,D]
    const void *a, *direct;      ///< [N,D], of `type`; direct null: none
    std::int64_t directStride;   ///< row stride of direct
    const float* alpha;          ///< [1] or [D]; null: `weight`
    std::int64_t alphaElements;  ///< 1 or D
    float weight;                ///< α where alpha is null
    ElementType type;
    Drop drop;
    float* y;             ///< [N,D]; unused in backward
    void* y16 = nullptr;  ///< [N,D]: y in bfloat16; null: not computed
};
struct TanhUpdateBackwardArguments {
    TanhUpdateArguments forward;
    const float* dy;        ///< [N,D]; null: zeros
    const void* dy16[2];    ///< [N,D], bfloat16: gradients of two uses of y16, added to dy; null: zeros
    float* dh;              ///< [N,D]: dy + Σ dy16; null: not computed
    void* da;               ///< [N,D], of forward.type: the gradient of a, and of direct
    std::int64_t daStride;  ///< row stride of da
    /// [⌈N/rowsPerPartial⌉,D], or [⌈N/rowsPerPartial⌉,4] with sum, 0, 0, 0 where α is one number: partial sums over
    /// rowsPerPartial rows; null: not computed.
    float* dalpha;
    std::int64_t rowsPerPartial;
};

/// Cross-entropy with label smoothing ε (engine/tasks/loss.h) of rows of logits.
struct CrossEntropyArguments {
    std::int64_t rows, classes;
    const void* logits;                         ///< [N,V]
    void* gradient;                             ///< [N,V]; null: not computed; may alias the logits
    std::int64_t logitsStride, gradientStride;  ///< row strides
    ElementType type;                           ///< of both
    const std::int64_t* targets;                ///< [N]; an invalid class makes the sums NaN
    std::int64_t ignored;
    double smoothing, scale;
    const double* scaleAt;  ///< address of the scale; null: `scale`
    float* losses;          ///< [3,N]: smoothed loss, nll, correct, per row
    float* sums;            ///< [3]: Σ smoothed · scale, Σ nll, Σ correct
    double zLoss = 0;       ///< times log²Z, added to a row's smoothed loss; 0: nothing is added
};

/// [B,H,Q,K]
struct ScoreShape {
    std::int64_t batch, heads, queries, keys;
};

/// True where a key is hidden from a query; broadcast by strides of 0.
struct HiddenKeys {
    const bool* at = nullptr;  ///< null: all keys are visible
    std::int64_t strides[4] = {0, 0, 0, 0};
};

/// carried = raw + added; weights = softmax over the keys of carried / divisor, with `hiddenScore` at hidden keys; dropped =
/// weights ⊙ drop. raw, weights, dropped of rawType; added, carried of sumType. The types are equal, or bfloat16 and float32.
struct ScoreWeightsArguments {
    ScoreShape shape;
    const void *raw, *added;  ///< added null: carried is raw
    void *carried, *weights;  ///< carried null: not computed
    void* dropped;            ///< null: no dropout
    ElementType rawType, sumType;
    HiddenKeys hidden;
    float divisor, hiddenScore;
    Drop drop;
};
/// d(raw) = d(added) = d(carried) + gradient through the softmax.
struct ScoreWeightsBackwardArguments {
    ScoreShape shape;
    const void* weights;                         ///< of rawType
    const void *dweights, *ddropped, *dcarried;  ///< of rawType, rawType, sumType; null: zeros
    void *draw, *dadded;                         ///< of rawType, sumType; null: not computed
    ElementType rawType, sumType;
    HiddenKeys hidden;
    float divisor;
    Drop drop;
};

enum class GateActivation { Tanh, Sigmoid, Relu, Hardtanh };

/// y = p ⊙ ψ(x + bias). p, y of scoreType; x of mixedType. The types are equal, or float32 and bfloat16.
struct ScoreGateArguments {
    ScoreShape shape;
    const void *p, *x;
    std::int64_t xStrides[3];     ///< of batch, head, query; the key stride is 1
    const float* bias;            ///< null: none
    std::int64_t biasStrides[3];  ///< of head, query, key
    GateActivation activation;
    ElementType scoreType, mixedType;
    void* y;  ///< unused in backward
};
struct ScoreGateBackwardArguments {
    ScoreGateArguments forward;
    const void* dy;  ///< of scoreType
    void* dp;        ///< of scoreType: gradient through the factor p only, not through x
    void* dx;        ///< of mixedType, with x's strides
};

/// The softmax over the keys of scale · raw, with `hiddenScore` at hidden keys, on the sides of the query: sides[q][parts·k +
/// left] = weight where k ≤ q + lastLeft, sides[q][parts·k + right] = weight where k ≥ q + firstRight; 0 elsewhere. Every key
/// has a side: firstRight ≤ lastLeft + 1.
struct SplitWeightsArguments {
    ScoreShape shape;
    ElementType type;
    HiddenKeys hidden;
    float scale, hiddenScore;
    std::int64_t lastLeft, firstRight;
    int parts, left, right;  ///< parts: 2 or 3
    const void* raw;         ///< [B,H,Q,K]; unused in backward
    void* sides;             ///< [B,H,Q,parts·K]
};
struct SplitWeightsBackwardArguments {
    SplitWeightsArguments forward;
    const void* dsides;  ///< [B,H,Q,parts·K]
    void* draw;          ///< [B,H,Q,K]
};

/// to[at[i]] = from[i], rows of `width` elements; `at` is ascending, and of equal entries the first one is written.
struct ScatterRowsArguments {
    std::int64_t rows, width;
    const void* from;        ///< [N,W]
    void* to;                ///< [R,W]; rows not in `at` are unchanged
    ElementType type;        ///< of both
    const std::int64_t* at;  ///< [N]
};

/// Sums over rows, in parts: sums[b][p][c] = Σ x[b][n][c] over the rows n of part p.
struct ColumnSumsArguments {
    std::int64_t batches, rows, columns;  ///< columns: a multiple of 4
    std::int64_t rowsOfPart;
    const void* x;     ///< [B,N,C]
    float* sums;       ///< [B,⌈N/rowsOfPart⌉,C]
    ElementType type;  ///< of x
};

/// Several sums over all rows in one launch: sums[c] = Σ partial[k][c] for each entry. The list lies in the kernel's arguments.
struct PackedSum {
    const float* partial;         ///< [K,C]
    float* sums;                  ///< [C]
    std::int32_t parts, columns;  ///< K; C, a multiple of 4
    std::int32_t firstItem;       ///< the number of items of the entries before
};
struct PackedSumsArguments {
    static constexpr int kMost = 120;        ///< entries: the arguments of a kernel have at most 4 KB
    static constexpr int kQuadsOfItem = 32;  ///< of the columns that a team adds up
    std::int32_t count, items;               ///< entries, and the items of all
    PackedSum of[kMost];
};
constexpr std::int32_t itemsOf(const PackedSum& sum) {
    return (sum.columns / 4 + PackedSumsArguments::kQuadsOfItem - 1) / PackedSumsArguments::kQuadsOfItem;
}

/// Counts values in bins of equal width over [low, high]; `high` itself falls into the last one.
struct HistogramArguments {
    std::int64_t n, bins;
    const void* x;     ///< [n]
    ElementType type;  ///< of x
    float low, high, binsPerUnit;
    double* row;  ///< [bins + 7]: bins, below, above, not finite; sum, sum of squares, minimum, maximum of the finite values
};
/// Maximum number of values for the histogram kernel, which reads all values once for each bin.
inline constexpr std::int64_t kMostHistogramValues = 1 << 18;

/// Elements of a parameter that one team updates; the last part of a parameter may be smaller.
inline constexpr std::int64_t kElementsPerPart = 4096;

/// A parameter of a packed update with its gradient and moments, all of n elements.
struct PackedParameter {
    float* value;
    const float* gradient;
    float *mean, *square;
    void* reduced;  ///< bfloat16 copy of the value; null: none
    std::int64_t n;
    std::int64_t firstPart;  ///< index among the parts of all parameters
    std::int64_t group;      ///< index of its learning rate
};
struct PackedPart {
    std::int32_t parameter;
    std::int32_t number;  ///< index among the parts of that parameter
};
/// The lists are in device memory: kernel arguments are too small for them.
struct PackedParameters {
    const PackedParameter* parameters;
    const PackedPart* parts;
    std::int64_t parameterCount, partCount;
};

/// Sum of squared gradients of every part.
struct GradientSquaresArguments {
    PackedParameters of;
    double* squares;  ///< [parts]
};

/// L2 norm of every gradient and of all gradients, and the inputs of the update. Increments the step.
struct GradientNormArguments {
    PackedParameters of;
    const double* squares;   ///< [parts]
    const float* objective;  ///< of the step
    double clip;             ///< maximum norm; 0: no clipping
    float* norms;            ///< [parameters]
    float* norm;
    float* notFinite;  ///< 1 when the norm or the objective is not finite, else 0
    float* divisor;    ///< of gradients: max(1, (norm + 1e-6) / clip); the 1e-6 is PyTorch's
    float* step;       ///< number of updates, incremented
};

/// Adam or AdamW (engine/train/step/optimizer.h) as in PyTorch's fused kernels; no update when notFinite is 1.
struct AdamArguments {
    PackedParameters of;
    const float* learningRates;  ///< of the groups
    const float *notFinite, *divisor, *step;
    float beta1, beta2, weightDecay, epsilon;
    bool decouples;  ///< decoupled weight decay (AdamW)
};

/// values[cursor] = the scalars; cursor += 1.
struct StepRingArguments {
    static constexpr int kColumns = 5;
    const float* scalars[kColumns];
    float* values;  ///< [capacity, kColumns]
    std::int64_t* cursor;
};

}  // namespace heddle::cuda
