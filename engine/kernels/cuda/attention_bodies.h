// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention of short sequences, forward and backward, by the phases of attention_phases.h.

#include "engine/kernels/cuda/attention_phases.h"

namespace heddle::cuda {

/// Block b·H + h computes head h of sentence b.
template <class Carried, int kQuads>
struct AttentionPass {
    AttentionArguments a;
    AttentionLayout layout{a, /*isBackward=*/false};

    template <class Block>
    HEDDLE_BOTH void operator()(std::int64_t number, Block& block, unsigned char* memory) const {
        AttentionPhases<Carried, kQuads, Block> in(a, layout, block, memory);
        in.go(number / a.shape.heads, number % a.shape.heads);
        in.zero(0, layout.halves);
        block.sync();
        in.template copy<3>({{a.q, in.q(), a.shape.queries}, {a.k, in.k(), a.shape.keys}, {a.v, in.v(), a.shape.keys}});
        if (a.gate.weight) in.loadGate(), in.loadCarried();
        block.sync();
        if (a.gate.weight) in.mixCarried();
        const Drawing drop(a.drop);
        const Tile<BFloat16> weights = in.ofScores(layout.weights);
        in.weigh([&](int row, const Span& span, const Quad& q, Four w) {
            drop.apply(w, q);
            store<BFloat16>(weights.at, q, w, weights.shift(row, span));
        });
        const Tile<float> mixed = in.floats(layout.sum, layout.queries, layout.width);
        block.product(mixed, plain(weights), plain(in.v()), IntoTile::Set);
        block.sync();
        in.storeHead(mixed, a.out, a.shape.queries, 1);
    }
};

/// Block p·H + h computes head h of the sentences of part p.
template <class Carried, int kQuads>
struct AttentionBackwardPass {
    AttentionBackwardArguments a;
    AttentionLayout layout{a.forward, /*isBackward=*/true};

    template <class Block>
    HEDDLE_BOTH void operator()(std::int64_t number, Block& block, unsigned char* memory) const {
        const AttentionArguments& f = a.forward;
        AttentionPhases<Carried, kQuads, Block> in(f, layout, block, memory);
        const std::int64_t part = number / f.shape.heads, head = number % f.shape.heads, first = part * a.sentencesOfPart;
        const std::int64_t behind = first + a.sentencesOfPart, end = behind < f.shape.batch ? behind : f.shape.batch;
        in.zero(0, layout.bytes);
        block.sync();
        in.go(first, head);
        if (f.gate.weight) in.loadGate();
        for (std::int64_t sentence = first; sentence < end; ++sentence) {
            in.go(sentence, head);
            ofSentence(block, in);
        }
        if (f.gate.weight) storeGate(block, in, number);
    }

private:
    template <class Block>
    using Phases = AttentionPhases<Carried, kQuads, Block>;

    template <class Block>
    HEDDLE_BOTH void ofSentence(Block& block, const Phases<Block>& in) const {
        const AttentionArguments& f = a.forward;
        // One after the other: together they need more registers than a thread has.
        in.template copy<1>({{f.q, in.q(), f.shape.queries}});
        in.template copy<1>({{f.k, in.k(), f.shape.keys}});
        in.template copy<1>({{f.v, in.v(), f.shape.keys}});
        in.template copy<1>({{a.dout, in.dout(), f.shape.queries}});
        if (f.gate.weight) in.loadCarried();
        block.sync();
        if (f.gate.weight) in.mixCarried();
        const Drawing drop(f.drop);
        const Tile<BFloat16> weights = in.ofScores(layout.weights), dropped = in.ofScores(layout.dropped);
        in.weigh([&](int row, const Span& span, const Quad& q, Four w) {
            store<BFloat16>(weights.at, q, w, weights.shift(row, span));
            if (f.drop.threshold == 0) return;
            drop.apply(w, q);
            store<BFloat16>(dropped.at, q, w, dropped.shift(row, span));
        });
        const Tile<float> ofKeys = in.floats(layout.sum, layout.keys, layout.width),
                          ofQueries = in.floats(layout.sum, layout.queries, layout.width);
        block.product(ofKeys, transposed(dropped), plain(in.dout()), IntoTile::Set);
        block.sync();
        in.storeHead(ofKeys, a.dv, f.shape.keys, 1);
        block.sync();
        block.product(in.scoreSums(), plain(in.dout()), transposed(in.v()), IntoTile::Set);
        block.sync();
        throughSoftmax(in);
        block.sync();
        if (f.gate.weight) throughGate(block, in);
        block.product(ofQueries, plain(weights), plain(in.k()), IntoTile::Set);
        block.sync();
        in.storeHead(ofQueries, a.dq, f.shape.queries, f.scale);
        block.sync();
        block.product(ofKeys, transposed(weights), plain(in.q()), IntoTile::Set);
        block.sync();
        in.storeHead(ofKeys, a.dk, f.shape.keys, f.scale);
        block.sync();
    }

    /// From the gradient of the dropped weights, in scoreSums(): that of s, in place of the weights; of p through the factor p,
    /// in scoreSums(), and of p W + bias, in its place; or of p without a gate, which is stored.
    template <class Block>
    HEDDLE_BOTH void throughSoftmax(const Phases<Block>& in) const {
        const AttentionArguments& f = a.forward;
        const Tile<float> sums = in.scoreSums();
        const Tile<BFloat16> weights = in.ofScores(layout.weights), mixed = in.ofScores(layout.mixed);
        const Drawing drop(f.drop);
        in.forQueries([&](int row, const Span& span, const HiddenInRow& hidden, auto& team) {
            Four w[kQuads], dw[kQuads];
            float product = 0;
            forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
                w[k] = load<BFloat16>(weights.at, q, weights.shift(row, span));
                dw[k] = load<float>(sums.at, q, sums.shift(row, span));
                drop.apply(dw[k], q);
                HEDDLE_UNROLL
                for (int j = 0; j < 4; ++j) product += w[k].v[j] * dw[k].v[j];
            });
            product = team.sum(product);
            forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
                const Four dnext = a.dnext ? load<Carried>(a.dnext, q) : Four{};
                Four dz, ds;
                HEDDLE_UNROLL
                for (int j = 0; j < 4; ++j) {
                    const bool isHidden = q.holds(j) && hidden(q.first + j - span.begin);
                    dz.v[j] = isHidden ? 0.0F : w[k].v[j] * (dw[k].v[j] - product) / f.divisor;
                    if (f.nextIsSum) dz.v[j] += dnext.v[j];
                    ds.v[j] = f.nextIsSum ? dz.v[j] : dz.v[j] + dnext.v[j];
                }
                store<BFloat16>(weights.at, q, ds, weights.shift(row, span));
                if (f.gate.weight) {
                    const Four p = in.carried(q, span, hidden);
                    Four x = in.beforeGate(row, q, span);
                    HEDDLE_UNROLL
                    for (int j = 0; j < 4; ++j) {
                        const float t = activate(f.gate.activation, x.v[j]);
                        x.v[j] = dz.v[j] * p.v[j] * activationDerivative(f.gate.activation, x.v[j], t);
                        dz.v[j] *= t;
                    }
                    store<BFloat16>(mixed.at, q, x, mixed.shift(row, span));
                    store<float>(sums.at, q, dz, sums.shift(row, span));
                } else if (a.dcarried) {
                    store<Carried>(a.dcarried, q, notFilled(dz, q, span, hidden));
                }
            });
        });
    }

    /// dp += dx Wᵀ, dW += pᵀ dx, and the sum of dx over the queries.
    template <class Block>
    HEDDLE_BOTH void throughGate(Block& block, const Phases<Block>& in) const {
        const Tile<float> sums = in.scoreSums(), dgate = in.floats(layout.dgate, layout.keys, layout.keys);
        const Tile<BFloat16> dx = in.ofScores(layout.mixed);
        block.product(sums, plain(dx), transposed(in.gate()), IntoTile::Add);
        block.product(dgate, transposed(in.ofScores(layout.carried)), plain(dx), IntoTile::Add);
        float* const dbias = in.floats(layout.dbias, 1, layout.keys).at;
        block.rows(static_cast<int>(a.forward.shape.keys), [&](int key, auto& team) {
            float sum = 0;
            for (int query = team.lane(); query < dx.rows; query += team.lanes())
                sum += toFloat(dx.at[query * dx.stride() + key]);
            sum = team.sum(sum);
            if (team.lane() == 0) dbias[key] += sum;
        });
        block.sync();
        if (a.dcarried)
            in.forQueries([&](int row, const Span& span, const HiddenInRow& hidden, auto& team) {
                forOwnQuads<kQuads>(span, team, [&](int, const Quad& q) {
                    const Four dp = load<float>(sums.at, q, sums.shift(row, span));
                    store<Carried>(a.dcarried, q, notFilled(dp, q, span, hidden));
                });
            });
        block.sync();
    }

    /// 0 where p was filled.
    HEDDLE_BOTH Four notFilled(Four dp, const Quad& q, const Span& span, const HiddenInRow& hidden) const {
        HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j)
            if (a.forward.fillsCarried && q.holds(j) && hidden(q.first + j - span.begin)) dp.v[j] = 0;
        return dp;
    }

    template <class Block>
    HEDDLE_BOTH void storeGate(Block& block, const Phases<Block>& in, std::int64_t number) const {
        const int keys = static_cast<int>(a.forward.shape.keys);
        const Tile<float> dgate = in.floats(layout.dgate, layout.keys, layout.keys);
        const float* const dbias = in.floats(layout.dbias, 1, layout.keys).at;
        float *const ofGate = a.dgate + number * keys * keys, *const ofBias = a.dbias ? a.dbias + number * keys : nullptr;
        for (int i = block.thread(); i < keys * keys; i += block.threads()) {
            ofGate[i] = dgate.at[i / keys * dgate.stride() + i % keys];
            if (ofBias && i < keys) ofBias[i] = dbias[i];
        }
    }
};

}  // namespace heddle::cuda
