// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the kernels are told: plain pointers into one device's memory, free of torch. Names and shapes: legend of block.h; N
// rows. A tensor is contiguous unless its strides (in elements) stand beside it.

#include "engine/base/philox.h"

#include <cstdint>

namespace heddle::cuda {

/// The longest rows that normed sums and score weights take, in quads (elements.h).
inline constexpr std::int64_t kMostQuads = 2048;

/// What one lane of a team keeps of a row, in quads; and the lanes of the team that a row of so many quads gets.
inline constexpr int kQuadsOfLane = 4;
constexpr int lanesFor(std::int64_t quads) {
    const std::int64_t needed = (quads + kQuadsOfLane - 1) / kQuadsOfLane;
    return needed <= 8 ? 8 : needed <= 32 ? 32 : needed <= 128 ? 128 : 512;
}

enum class ElementType { Float32, BFloat16 };

/// Element e of the whole tensor (row-major) takes word e of the stream: below the threshold it becomes 0, else it is
/// multiplied by the scale. engine/device/random.cpp says how words come about.
struct Drop {
    philox::Stream stream{};
    const std::int64_t* stepAt = nullptr;  ///< where the step lies that the stream's word2 is taken from; null: word2 itself
    std::uint32_t threshold = 0;           ///< 0: everything is kept
    float scale = 1;
};

/// y = x ⊙ drop, or max(x, 0) ⊙ drop.
struct DropoutArguments {
    const void* x;
    void* y;
    std::int64_t n;
    ElementType type;
    Drop drop;
    bool rectifies;
};

/// dx = 0 where y is 0, else dy · scale: the way back of a rectifying dropout that gave y.
struct ReluDropoutBackwardArguments {
    const void *y, *dy;
    void* dx;
    std::int64_t n;
    ElementType type;
    float scale;
};

/// y = x + tanh(a) ⊙ sigmoid(e). x, y of streamType; a, e of type: both the same, or float32 and bfloat16.
struct AdjustArguments {
    const void *x, *a, *e;
    void* y;
    std::int64_t n;
    ElementType streamType, type;
};
/// dx is dy.
struct AdjustBackwardArguments {
    const void *dy, *a, *e;
    void *da, *de;
    std::int64_t n;
    ElementType streamType, type;
};

/// Layer normalisation of a residual sum, z = r + g ⊙ s ⊙ drop, y = (z - mean) / √(var + eps) · weight + bias with
/// g = sigmoid(gate), or 1 where gate is null. The width is a multiple of 4.
struct AddNormArguments {
    std::int64_t rows, width;
    const float* r;              ///< [N,D]
    const void *s, *gate;        ///< [N,D], of `type`
    const float *weight, *bias;  ///< [D]; the way back needs no bias
    ElementType type;
    double eps;
    Drop drop;
    float *mean, *inverse;  ///< [N], kept for the way back: mean, and 1/√(var + eps)
    float* y;               ///< [N,D]; not for the way back
    void* y16 = nullptr;    ///< [N,D]: y in bfloat16; null: not wanted
};
struct AddNormBackwardArguments {
    AddNormArguments forward;
    const float* dy;         ///< [N,D]; null: zeros
    float* dr;               ///< [N,D]
    void *ds, *dgate;        ///< [N,D], of forward.type; dgate null without a gate
    float *dweight, *dbias;  ///< [⌈N/rowsPerPartial⌉,D]: what so many rows add
    std::int64_t rowsPerPartial;
    const void* dy16 = nullptr;  ///< [N,D], bfloat16, of those who read y16: added to dy; null: zeros
};
/// So many that the teams fill a large device once (132 multiprocessors, 512 threads of each): with more of them the partial
/// sums would be read for longer than they save, with fewer multiprocessors would wait. Of the sizes alone, not of the device
/// that is there, so that sums have one order everywhere.
constexpr std::int64_t rowsPerPartial(std::int64_t rows, std::int64_t width) {
    const std::int64_t teams = std::int64_t{132} * 512 / lanesFor(width / 4);
    return rows > teams ? (rows + teams - 1) / teams : 1;
}

/// Cross-entropy with label smoothing ε (engine/tasks/loss.h) of rows of logits.
struct CrossEntropyArguments {
    std::int64_t rows, classes;
    const void* logits;                         ///< [N,V]
    void* gradient;                             ///< [N,V]; null: not wanted; may be the logits
    std::int64_t logitsStride, gradientStride;  ///< from row to row
    ElementType type;                           ///< of both
    const std::int64_t* targets;                ///< [N]; one that is no class makes the sums NaN
    std::int64_t ignored;
    double smoothing, scale;
    const double* scaleAt;  ///< where the scale lies; null: `scale`
    float* losses;          ///< [3,N]: smoothed, nll, correct of each row
    float* sums;            ///< [3]: Σ smoothed · scale, Σ nll, Σ correct
};

/// [B,H,Q,K]
struct ScoreShape {
    std::int64_t batch, heads, queries, keys;
};

/// True where a query must not see a key; broadcast by strides of 0.
struct HiddenKeys {
    const bool* at = nullptr;  ///< null: it sees all
    std::int64_t strides[4] = {0, 0, 0, 0};
};

/// carried = raw + added; weights = softmax over the keys of carried / divisor, `hiddenScore` in place of what is hidden;
/// dropped = weights ⊙ drop. raw, weights, dropped of rawType; added, carried of sumType: the same, or bfloat16 and float32.
struct ScoreWeightsArguments {
    ScoreShape shape;
    const void *raw, *added;  ///< added null: carried is raw
    void *carried, *weights;  ///< carried null: not wanted
    void* dropped;            ///< null: no dropout
    ElementType rawType, sumType;
    HiddenKeys hidden;
    float divisor, hiddenScore;
    Drop drop;
};
/// d(raw) = d(added) = d(carried) + the softmax's part.
struct ScoreWeightsBackwardArguments {
    ScoreShape shape;
    const void* weights;                         ///< of rawType
    const void *dweights, *ddropped, *dcarried;  ///< of rawType, rawType, sumType; null: zeros
    void *draw, *dadded;                         ///< of rawType, sumType; null: not wanted
    ElementType rawType, sumType;
    HiddenKeys hidden;
    float divisor;
    Drop drop;
};

enum class GateActivation { Tanh, Sigmoid, Relu, Hardtanh };

/// y = p ⊙ ψ(x + bias). p, y of scoreType; x of mixedType: the same, or float32 and bfloat16.
struct ScoreGateArguments {
    ScoreShape shape;
    const void *p, *x;
    std::int64_t xStrides[3];     ///< of batch, head, query; a key's is 1
    const float* bias;            ///< null: none
    std::int64_t biasStrides[3];  ///< of head, query, key
    GateActivation activation;
    ElementType scoreType, mixedType;
    void* y;  ///< not for the way back
};
struct ScoreGateBackwardArguments {
    ScoreGateArguments forward;
    const void* dy;  ///< of scoreType
    void* dp;        ///< of scoreType: what the product with ψ gives; x hands on the rest
    void* dx;        ///< of mixedType, with x's strides
};

/// left = weights of the keys k ≤ q + lastLeft, right = those of k ≥ q + firstRight; 0 elsewhere.
struct SplitArguments {
    ScoreShape shape;
    std::int64_t lastLeft, firstRight;
    ElementType type;
    const void* weights;
    void *left, *right;
};
struct SplitBackwardArguments {
    ScoreShape shape;
    std::int64_t lastLeft, firstRight;
    ElementType type;
    const void *dleft, *dright;
    void* dweights;
};

/// to[at[i]] = from[i], rows of `width` elements; `at` ascends, and of neighbours with one place the first is written.
struct ScatterRowsArguments {
    std::int64_t rows, width;
    const void* from;        ///< [N,W]
    void* to;                ///< [R,W]; rows that nobody names stay as they are
    ElementType type;        ///< of both
    const std::int64_t* at;  ///< [N]
};

/// So many elements of a parameter, or what is left of it, are the work of one team in an update of all of them.
inline constexpr std::int64_t kElementsPerPart = 4096;

/// A parameter of a packed update and what belongs to it, all of n elements.
struct PackedParameter {
    float* value;
    const float* gradient;
    float *mean, *square;
    void* reduced;  ///< the value in bfloat16; null: it has no such copy
    std::int64_t n;
    std::int64_t firstPart;  ///< among the parts of all parameters
    std::int64_t group;      ///< whose learning rate it has
};
struct PackedPart {
    std::int32_t parameter;
    std::int32_t number;  ///< among the parts of that parameter
};
/// Lies in the device's memory, too: an argument of a kernel has no room for it.
struct PackedParameters {
    const PackedParameter* parameters;
    const PackedPart* parts;
    std::int64_t parameterCount, partCount;
};

/// The sum of the squared gradients of every part.
struct GradientSquaresArguments {
    PackedParameters of;
    double* squares;  ///< [parts]
};

/// From these the L2 norm of every gradient and of all; and what an update needs to know of it. Counts the step.
struct GradientNormArguments {
    PackedParameters of;
    const double* squares;   ///< [parts]
    const float* objective;  ///< of the step
    double clip;             ///< the largest norm wanted; 0: any
    float* norms;            ///< [parameters]
    float* norm;
    float* notFinite;  ///< 1 where the norm or the objective is no number, else 0
    float* divisor;    ///< of gradients: max(1, (norm + 1e-6) / clip); the 1e-6 is PyTorch's
    float* step;       ///< updates so far, to which this one is added
};

/// Adam or AdamW (engine/train/step/optimizer.h) as PyTorch's fused kernels have it; nothing where notFinite is 1.
struct AdamArguments {
    PackedParameters of;
    const float* learningRates;  ///< of the groups
    const float *notFinite, *divisor, *step;
    float beta1, beta2, weightDecay, epsilon;
    bool decouples;  ///< the weight decay from the gradient: AdamW
};

/// values[cursor] = the scalars; cursor += 1.
struct StepRingArguments {
    static constexpr int kColumns = 5;
    const float* scalars[kColumns];
    float* values;  ///< [capacity, kColumns]
    std::int64_t* cursor;
};

}  // namespace heddle::cuda
