// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes over the rows of attention scores [B,H,Q,K]; a row holds the scores of one query (for passes see rows.h).

#include "engine/kernels/cuda/rows.h"

namespace heddle::cuda {

/// Indices of a row of scores.
struct ScoreRow {
    std::int64_t batch, head, query;

    HEDDLE_BOTH ScoreRow(const ScoreShape& shape, std::int64_t row)
        : batch(row / shape.queries / shape.heads), head(row / shape.queries % shape.heads), query(row % shape.queries) {}
};

/// The hidden keys of one row.
class HiddenInRow {
public:
    HEDDLE_BOTH HiddenInRow(const HiddenKeys& all, const ScoreShape& shape, std::int64_t row) : stride_(all.strides[3]) {
        const ScoreRow at(shape, row);
        if (all.at != nullptr)
            first_ = all.at + (at.batch * all.strides[0] + at.head * all.strides[1] + at.query * all.strides[2]);
    }
    HEDDLE_BOTH bool operator()(std::int64_t key) const { return first_ && first_[key * stride_]; }

private:
    const bool* first_ = nullptr;
    std::int64_t stride_;
};

/// The logits z of a row become their softmax; z is kLowest outside of the row.
template <int kQuads, class Team>
HEDDLE_BOTH void softmaxOfRow(const Span& span, Team& team, Four (&z)[kQuads]) {
    float most = kLowest, sum = 0;
    forOwnQuads<kQuads>(span, team, [&](int k, const Quad&) {
        HEDDLE_UNROLL
        for (const float v : z[k].v)
            if (v > most) most = v;
    });
    most = team.max(most);
    forOwnQuads<kQuads>(span, team, [&](int k, const Quad&) {
        HEDDLE_UNROLL
        for (float& v : z[k].v) v = std::exp(v - most);
        sum += total(z[k]);
    });
    sum = team.sum(sum);
    forOwnQuads<kQuads>(span, team, [&](int k, const Quad&) {
        HEDDLE_UNROLL
        for (float& v : z[k].v) v /= sum;
    });
}

/// A row stays in registers: quadsOf(keys) is at most kQuads · the team's lanes.
template <class Raw, class Sum, int kQuads>
struct ScoreWeightsPass {
    ScoreWeightsArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const Span span{row * a.shape.keys, a.shape.keys};
        const HiddenInRow hidden(a.hidden, a.shape, row);
        const Drawing drop(a.drop);
        Four z[kQuads];
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            z[k] = carried(q);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                float& score = z[k].v[j];
                if (!q.holds(j))
                    score = kLowest;
                else if (hidden(q.first + j - span.begin))
                    score = a.hiddenScore;
                else
                    score /= a.divisor;
            }
        });
        softmaxOfRow<kQuads>(span, team, z);
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            store<Raw>(a.weights, q, z[k]);
            if (!a.dropped) return;
            drop.apply(z[k], q);
            store<Raw>(a.dropped, q, z[k]);
        });
    }

private:
    HEDDLE_BOTH Four carried(const Quad& q) const {
        Four z = load<Raw>(a.raw, q);
        if (a.added) {
            const Four added = load<Sum>(a.added, q);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) z.v[j] += added.v[j];
        }
        if (a.carried) store<Sum>(a.carried, q, z);
        return z;
    }
};

template <class Raw, class Sum, int kQuads>
struct ScoreWeightsBackwardPass {
    ScoreWeightsBackwardArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const Span span{row * a.shape.keys, a.shape.keys};
        const HiddenInRow hidden(a.hidden, a.shape, row);
        const Drawing drop(a.drop);
        Four w[kQuads], dw[kQuads];
        float product = 0;
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            w[k] = load<Raw>(a.weights, q);
            dw[k] = weightGradient(q, drop);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) product += w[k].v[j] * dw[k].v[j];
        });
        product = team.sum(product);
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            Four dz = a.dcarried ? load<Sum>(a.dcarried, q) : Four{};
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j)
                if (q.holds(j) && !hidden(q.first + j - span.begin)) dz.v[j] += w[k].v[j] * (dw[k].v[j] - product) / a.divisor;
            if (a.draw) store<Raw>(a.draw, q, dz);
            if (a.dadded) store<Sum>(a.dadded, q, dz);
        });
    }

private:
    HEDDLE_BOTH Four weightGradient(const Quad& q, const Drawing& drop) const {
        Four dw = a.dweights ? load<Raw>(a.dweights, q) : Four{};
        if (!a.ddropped) return dw;
        Four ddropped = load<Raw>(a.ddropped, q);
        drop.apply(ddropped, q);
        HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j) dw.v[j] += ddropped.v[j];
        return dw;
    }
};

HEDDLE_BOTH float activate(GateActivation activation, float x) {
    switch (activation) {
    case GateActivation::Tanh: return std::tanh(x);
    case GateActivation::Sigmoid: return sigmoid(x);
    case GateActivation::Relu: return x <= 0 ? 0.0F : x;
    case GateActivation::Hardtanh: return x < -1 ? -1.0F : x > 1 ? 1.0F : x;
    }
    return x;
}

/// ψ′ from x and t = ψ(x).
HEDDLE_BOTH float activationDerivative(GateActivation activation, float x, float t) {
    switch (activation) {
    case GateActivation::Tanh: return 1 - t * t;
    case GateActivation::Sigmoid: return t * (1 - t);
    case GateActivation::Relu: return x <= 0 ? 0.0F : 1.0F;
    case GateActivation::Hardtanh: return x <= -1 || x >= 1 ? 0.0F : 1.0F;
    }
    return 1;
}

/// One row of a gate's input.
template <class Mixed>
class GateRow {
public:
    HEDDLE_BOTH GateRow(const ScoreGateArguments& a, std::int64_t row) : a_(a), begin_(row * a.shape.keys) {
        const ScoreRow at(a.shape, row);
        shift_ = at.batch * a.xStrides[0] + at.head * a.xStrides[1] + at.query * a.xStrides[2] - begin_;
        if (a.bias) bias_ = a.bias + (at.head * a.biasStrides[0] + at.query * a.biasStrides[1]);
    }
    HEDDLE_BOTH Span span() const { return {begin_, a_.shape.keys}; }
    HEDDLE_BOTH std::int64_t shift() const { return shift_; }  ///< offset of the row in x relative to p
    /// x + bias.
    HEDDLE_BOTH Four before(const Quad& q) const {
        Four x = load<Mixed>(a_.x, q, shift_);
        if (!bias_) return x;
        HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j)
            if (q.holds(j)) x.v[j] += bias_[(q.first + j - begin_) * a_.biasStrides[2]];
        return x;
    }

private:
    const ScoreGateArguments& a_;
    std::int64_t begin_, shift_ = 0;
    const float* bias_ = nullptr;
};

template <class Score, class Mixed>
struct ScoreGatePass {
    ScoreGateArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const GateRow<Mixed> gate(a, row);
        const Span span = gate.span();
        for (std::int64_t i = team.lane(); i < span.quads(); i += team.lanes()) {
            const Quad q = span.quad(i);
            const Four x = gate.before(q);
            Four y = load<Score>(a.p, q);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) y.v[j] *= activate(a.activation, x.v[j]);
            store<Score>(a.y, q, y);
        }
    }
};

template <class Score, class Mixed>
struct ScoreGateBackwardPass {
    ScoreGateBackwardArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const GateRow<Mixed> gate(a.forward, row);
        const Span span = gate.span();
        for (std::int64_t i = team.lane(); i < span.quads(); i += team.lanes()) {
            const Quad q = span.quad(i);
            const Four p = load<Score>(a.forward.p, q), dy = load<Score>(a.dy, q);
            Four x = gate.before(q), dp;
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                const float t = activate(a.forward.activation, x.v[j]);
                dp.v[j] = dy.v[j] * t;
                x.v[j] = dy.v[j] * p.v[j] * activationDerivative(a.forward.activation, x.v[j], t);
            }
            store<Score>(a.dp, q, dp);
            store<Mixed>(a.dx, q, x, gate.shift());
        }
    }
};

}  // namespace heddle::cuda
