// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention of short sequences: a block computes a whole head of a sentence in its memory, in phases. What a phase can ask of
// the block: its thread(), of threads(); rows(n, use), which calls use(row, team) for n rows, each with a team of threads
// (rows.h) and the same one in all phases; sync(), since threads see what others wrote behind it alone; and product(). Products
// are of whole tiles: what lies beyond the sizes of the tensors is 0 in their factors.

#include "engine/kernels/cuda/attention_layout.h"
#include "engine/kernels/cuda/score_bodies.h"

namespace heddle::cuda {

/// A matrix in the memory of a block; sizes are multiples of kTileSide.
template <class T>
struct Tile {
    T* at;
    int rows, columns;

    HEDDLE_BOTH int stride() const { return tileStride(columns, static_cast<int>(sizeof(T))); }
    /// The offset of a row, relative to the elements of a tensor's row.
    HEDDLE_BOTH std::int64_t shift(int row, const Span& span) const { return std::int64_t{row} * stride() - span.begin; }
};

/// A factor of a product.
template <bool kTransposed>
struct TileFactor {
    Tile<BFloat16> of;

    HEDDLE_BOTH int columns() const { return kTransposed ? of.rows : of.columns; }
    HEDDLE_BOTH float operator()(int row, int column) const {
        return toFloat(kTransposed ? of.at[column * of.stride() + row] : of.at[row * of.stride() + column]);
    }
};
HEDDLE_BOTH TileFactor<false> plain(const Tile<BFloat16>& of) { return {of}; }
HEDDLE_BOTH TileFactor<true> transposed(const Tile<BFloat16>& of) { return {of}; }

enum class IntoTile { Set, Add };

/// c = a b, or c += a b, without tensor cores.
template <bool kTransposesA, bool kTransposesB>
HEDDLE_BOTH void multiplyPlainly(int thread, int threads, const Tile<float>& c, const TileFactor<kTransposesA>& a,
                                 const TileFactor<kTransposesB>& b, IntoTile into) {
    for (int i = thread; i < c.rows * c.columns; i += threads) {
        const int row = i / c.columns, column = i % c.columns;
        float& to = c.at[row * c.stride() + column];
        float sum = into == IntoTile::Add ? to : 0.0F;
        for (int j = 0; j < a.columns(); ++j) sum += a(row, j) * b(j, column);
        to = sum;
    }
}

/// Sixteen bytes of a row.
struct alignas(16) Piece {
    static constexpr int kElements = 8;
    BFloat16 v[kElements];
};

/// Rows of a head that are copied into a tile.
struct HeadCopy {
    HeadRows<const void*> from;
    Tile<BFloat16> to;
    std::int64_t rows;
};

/// The phases that forward and backward share. kQuads: of a row of scores, for one thread of its team.
template <class Carried, int kQuads, class Block>
class AttentionPhases {
public:
    HEDDLE_BOTH AttentionPhases(const AttentionArguments& a, const AttentionLayout& layout, Block& block, unsigned char* memory)
        : a_(a), layout_(layout), block_(block), memory_(memory) {}

    HEDDLE_BOTH Tile<BFloat16> half(int offset, int rows, int columns) const {
        return {reinterpret_cast<BFloat16*>(memory_ + offset), rows, columns};
    }
    HEDDLE_BOTH Tile<float> floats(int offset, int rows, int columns) const {
        return {reinterpret_cast<float*>(memory_ + offset), rows, columns};
    }
    HEDDLE_BOTH Tile<BFloat16> q() const { return half(layout_.q, layout_.queries, layout_.width); }
    HEDDLE_BOTH Tile<BFloat16> k() const { return half(layout_.k, layout_.keys, layout_.width); }
    HEDDLE_BOTH Tile<BFloat16> v() const { return half(layout_.v, layout_.keys, layout_.width); }
    HEDDLE_BOTH Tile<BFloat16> dout() const { return half(layout_.dout, layout_.queries, layout_.width); }
    HEDDLE_BOTH Tile<BFloat16> gate() const { return half(layout_.gate, layout_.keys, layout_.keys); }
    HEDDLE_BOTH Tile<BFloat16> ofScores(int offset) const { return half(offset, layout_.queries, layout_.keys); }
    HEDDLE_BOTH Tile<float> scoreSums() const { return floats(layout_.sum, layout_.queries, layout_.keys); }

    /// Which head of which sentence comes next.
    HEDDLE_BOTH void go(std::int64_t sentence, std::int64_t head) { sentence_ = sentence, head_ = head; }

    /// Zeros the tiles from one offset to another; both are multiples of 16.
    HEDDLE_BOTH void zero(int from, int to) const {
        Piece* const at = reinterpret_cast<Piece*>(memory_ + from);
        for (int i = block_.thread(); i < (to - from) / 16; i += block_.threads()) at[i] = {};
    }

    /// Copies rows of the head. A thread reads kAtOnce pieces of each tensor before it waits.
    template <int kTensors>
    HEDDLE_BOTH void copy(const HeadCopy (&all)[kTensors]) const {
        constexpr int kAtOnce = 2;
        const int pieces = static_cast<int>(a_.width) / Piece::kElements;
        const int most = (layout_.queries > layout_.keys ? layout_.queries : layout_.keys) * pieces;
        for (int first = block_.thread(); first < most; first += kAtOnce * block_.threads()) {
            Piece read[kTensors][kAtOnce];
            const auto forOwn = [&](const auto& use) {
                HEDDLE_UNROLL
                for (int t = 0; t < kTensors; ++t) {
                    HEDDLE_UNROLL
                    for (int j = 0; j < kAtOnce; ++j) {
                        const int i = first + j * block_.threads(), row = i / pieces, column = i % pieces * Piece::kElements;
                        if (row < all[t].rows) use(all[t], row, column, read[t][j]);
                    }
                }
            };
            forOwn([&](const HeadCopy& of, int row, int column, Piece& piece) {
                const auto* const head = static_cast<const BFloat16*>(of.from.at) + offsetOf(of.from);
                piece = *reinterpret_cast<const Piece*>(head + row * of.from.strides[1] + column);
            });
            forOwn([&](const HeadCopy& of, int row, int column, const Piece& piece) {
                *reinterpret_cast<Piece*>(of.to.at + row * of.to.stride() + column) = piece;
            });
        }
    }

    /// Stores scale · the first rows of the head.
    HEDDLE_BOTH void storeHead(const Tile<float>& from, const HeadRows<void*>& to, std::int64_t rows, float scale) const {
        const int pieces = static_cast<int>(a_.width) / Piece::kElements, all = static_cast<int>(rows) * pieces;
        auto* const head = static_cast<BFloat16*>(to.at) + offsetOf(to);
        for (int i = block_.thread(); i < all; i += block_.threads()) {
            const float* const row = from.at + i / pieces * from.stride() + i % pieces * Piece::kElements;
            Piece rounded;
            HEDDLE_UNROLL
            for (int j = 0; j < Piece::kElements; ++j) fromFloat(row[j] * scale, rounded.v[j]);
            *reinterpret_cast<Piece*>(head + i / pieces * to.strides[1] + i % pieces * Piece::kElements) = rounded;
        }
    }

    /// The gate's W of the head, rounded. A thread reads kAtOnce elements before it waits.
    HEDDLE_BOTH void loadGate() const {
        constexpr int kAtOnce = 8;
        const Tile<BFloat16> to = gate();
        const float* const from = a_.gate.weight + head_ * a_.gate.headStride;
        const int keys = static_cast<int>(a_.shape.keys), all = keys * keys;
        for (int first = block_.thread(); first < all; first += kAtOnce * block_.threads()) {
            float read[kAtOnce];
            HEDDLE_UNROLL
            for (int j = 0; j < kAtOnce; ++j)
                if (const int i = first + j * block_.threads(); i < all)
                    read[j] = from[i / keys * a_.gate.rowStride + i % keys];
            HEDDLE_UNROLL
            for (int j = 0; j < kAtOnce; ++j)
                if (const int i = first + j * block_.threads(); i < all)
                    fromFloat(read[j], to.at[i / keys * to.stride() + i % keys]);
        }
    }

    /// Calls use(row, span, hidden, team) for every query; the span is its row of scores.
    template <class Use>
    HEDDLE_BOTH void forQueries(const Use& use) const {
        block_.rows(static_cast<int>(a_.shape.queries), [&](int row, auto& team) {
            const std::int64_t number = (sentence_ * a_.shape.heads + head_) * a_.shape.queries + row;
            use(row, Span{number * a_.shape.keys, a_.shape.keys}, HiddenInRow(a_.hidden, a_.shape, number), team);
        });
    }

    HEDDLE_BOTH void loadCarried() const {
        const Tile<BFloat16> to = ofScores(layout_.carried);
        forQueries([&](int row, const Span& span, const HiddenInRow& hidden, auto& team) {
            forOwnQuads<kQuads>(span, team, [&](int, const Quad& q) {
                store<BFloat16>(to.at, q, carried(q, span, hidden), to.shift(row, span));
            });
        });
    }

    /// p W in bfloat16, as a product of its own would give it.
    HEDDLE_BOTH void mixCarried() const {
        const Tile<float> sums = scoreSums();
        const Tile<BFloat16> to = ofScores(layout_.mixed);
        block_.product(sums, plain(ofScores(layout_.carried)), plain(gate()), IntoTile::Set);
        block_.sync();
        forQueries([&](int row, const Span& span, const HiddenInRow&, auto& team) {
            forOwnQuads<kQuads>(span, team, [&](int, const Quad& q) {
                store<BFloat16>(to.at, q, load<float>(sums.at, q, sums.shift(row, span)), to.shift(row, span));
            });
        });
        block_.sync();
    }

    /// Calls use(k, quad, weights) for the quads of every row, with the weights before dropout. Stores what is for a later
    /// layer.
    template <class Use>
    HEDDLE_BOTH void weigh(const Use& use) const {
        const Tile<float> sums = scoreSums();
        block_.product(sums, plain(q()), transposed(k()), IntoTile::Set);
        block_.sync();
        forQueries([&](int row, const Span& span, const HiddenInRow& hidden, auto& team) {
            Four z[kQuads];
            forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) { z[k] = logits(row, q, span, hidden); });
            softmaxOfRow<kQuads>(span, team, z);
            forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) { use(row, span, q, z[k]); });
        });
        block_.sync();
    }

    /// p, filled at hidden keys.
    HEDDLE_BOTH Four carried(const Quad& q, const Span& span, const HiddenInRow& hidden) const {
        Four p = load<Carried>(a_.carried, q);
        if (!a_.fillsCarried) return p;
        HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j)
            if (q.holds(j) && hidden(q.first + j - span.begin)) p.v[j] = a_.carriedFill;
        return p;
    }

    /// p W + bias.
    HEDDLE_BOTH Four beforeGate(int row, const Quad& q, const Span& span) const {
        const Tile<BFloat16> mixed = ofScores(layout_.mixed);
        Four x = load<BFloat16>(mixed.at, q, mixed.shift(row, span));
        if (!a_.gate.bias) return x;
        const float* const bias = a_.gate.bias + head_ * a_.gate.biasStrides[0];
        HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j)
            if (q.holds(j)) x.v[j] += bias[(q.first + j - span.begin) * a_.gate.biasStrides[1]];
        return x;
    }

private:
    template <class Pointer>
    HEDDLE_BOTH std::int64_t offsetOf(const HeadRows<Pointer>& of) const {
        return sentence_ * of.strides[0] + head_ * of.strides[2];
    }

    /// z / divisor, masked; the lowest number outside of the row.
    HEDDLE_BOTH Four logits(int row, const Quad& q, const Span& span, const HiddenInRow& hidden) const {
        const Tile<float> sums = scoreSums();
        Four z = load<float>(sums.at, q, sums.shift(row, span));
        HEDDLE_UNROLL
        for (float& v : z.v) v *= a_.scale;
        if (a_.next && !a_.nextIsSum) store<Carried>(a_.next, q, z);
        if (a_.carried) {
            const Four p = carried(q, span, hidden), x = a_.gate.weight ? beforeGate(row, q, span) : Four{};
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) z.v[j] += a_.gate.weight ? p.v[j] * activate(a_.gate.activation, x.v[j]) : p.v[j];
        }
        if (a_.next && a_.nextIsSum) store<Carried>(a_.next, q, z);
        HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j) {
            if (!q.holds(j))
                z.v[j] = kLowest;
            else if (hidden(q.first + j - span.begin))
                z.v[j] = a_.hiddenScore;
            else
                z.v[j] /= a_.divisor;
        }
        return z;
    }

    const AttentionArguments& a_;
    const AttentionLayout& layout_;
    Block& block_;
    unsigned char* memory_;
    std::int64_t sentence_ = 0, head_ = 0;
};

}  // namespace heddle::cuda
