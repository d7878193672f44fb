// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes over the rows of residual sums.

#include "engine/kernels/cuda/rows.h"

namespace heddle::cuda {

/// One quad of the operands of the branch g ⊙ s ⊙ drop as they lie in memory.
template <class T>
struct BranchOperands {
    Together<T> s, gate;

    HEDDLE_BOTH static BranchOperands of(const AddNormArguments& a, const Quad& q) {
        return {fetch<T>(a.s, q), a.gate ? fetch<T>(a.gate, q) : Together<T>{}};
    }
};

/// One quad of s ⊙ drop and of g.
struct ResidualBranch {
    Four s, gate;
};
template <class T>
HEDDLE_BOTH ResidualBranch residualBranch(const AddNormArguments& a, const Drawing& drop, const Quad& q,
                                          const BranchOperands<T>& of) {
    ResidualBranch branch{widened(of.s), {{1, 1, 1, 1}}};
    drop.apply(branch.s, q);
    if (a.gate) {
        branch.gate = widened(of.gate);
        HEDDLE_UNROLL
        for (float& g : branch.gate.v) g = sigmoid(g);
    }
    return branch;
}

/// One quad of the operands of z = r + g ⊙ s ⊙ drop.
template <class T>
struct ResidualOperands {
    Together<float> r;
    BranchOperands<T> branch;

    HEDDLE_BOTH static ResidualOperands of(const AddNormArguments& a, const Quad& q) {
        return {fetch<float>(a.r, q), BranchOperands<T>::of(a, q)};
    }
};
template <class T>
HEDDLE_BOTH Four residualSum(const AddNormArguments& a, const Drawing& drop, const Quad& q, const ResidualOperands<T>& of) {
    const ResidualBranch branch = residualBranch<T>(a, drop, q, of.branch);
    Four z = widened(of.r);
    HEDDLE_UNROLL
    for (int i = 0; i < 4; ++i) z.v[i] += branch.gate.v[i] * branch.s.v[i];
    return z;
}

/// The width, which is a multiple of 4, is at most 4 · kQuads · the team's lanes: a row stays in registers.
template <class T, int kQuads>
struct AddNormPass {
    AddNormArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const Span span{row * a.width, a.width};
        const Drawing drop(a.drop);
        Four z[kQuads];
        float sum = 0, squares = 0;
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            z[k] = residualSum<T>(a, drop, q, ResidualOperands<T>::of(a, q));
            if (a.z) store<float>(a.z, q, z[k]);
            sum += total(z[k]);
        });
        const float mean = team.sum(sum) / static_cast<float>(a.width);
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad&) {
            HEDDLE_UNROLL
            for (float& v : z[k].v) {
                v -= mean;
                squares += v * v;
            }
        });
        const float variance = team.sum(squares) / static_cast<float>(a.width);
        const float inverse = 1 / std::sqrt(variance + static_cast<float>(a.eps));
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            const Four weight = load<float>(a.weight, q, -span.begin), bias = load<float>(a.bias, q, -span.begin);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) z[k].v[j] = z[k].v[j] * inverse * weight.v[j] + bias.v[j];
            store<float>(a.y, q, z[k]);
            if (a.y16) store<BFloat16>(a.y16, q, z[k]);
        });
        if (team.lane() == 0) {
            a.mean[row] = mean;
            a.inverse[row] = inverse;
        }
    }
};

/// The teams of a block take turns in rowsPerPartial rows. They keep their sums in registers, and add them up in the end: for
/// the gradients of the norm's weight and bias, and of the biases of branch and gate.
template <class T, int kQuads>
struct AddNormBackwardPass {
    static constexpr int kThreadsAtOnce = kSummingThreads;
    AddNormBackwardArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t block, Team& team) const {
        Sums sums;
        forRowsOfBlock(a, block, team, [&](std::int64_t row) { oneRow(row, team, sums); });
        const Span span{block * a.forward.width, a.forward.width};
        storeSumOfTeams(a.dweight, span, sums.dweight, team);
        storeSumOfTeams(a.dbias, span, sums.dbias, team);
        if constexpr (!isLargest<Team>) {
            storeSumOfTeams(a.dsSums, span, sums.ds, team);
            storeSumOfTeams(a.dgateSums, span, sums.dgate, team);
        }
    }

private:
    struct Sums {
        Four dweight[kQuads] = {}, dbias[kQuads] = {}, ds[kQuads] = {}, dgate[kQuads] = {};
    };

    template <class Team>
    HEDDLE_BOTH void oneRow(std::int64_t row, Team& team, Sums& sums) const {
        const Span span{row * a.forward.width, a.forward.width};
        const Drawing drop(a.forward.drop);
        const float mean = a.forward.mean[row], inverse = a.forward.inverse[row];
        Four normed[kQuads], scaledGradient[kQuads];  // (z - mean) · inverse; dy ⊙ weight
        float sum = 0, products = 0;
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            const RowOperands operands = operandsOf(q, span.begin);  // of all k at once they would not fit the registers
            normed[k] = a.forward.z ? widened(operands.ofSum.r) : residualSum<T>(a.forward, drop, q, operands.ofSum);
            scaledGradient[k] = outputGradient(operands);
            const Four weight = widened(operands.weight);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                float &hat = normed[k].v[j], &g = scaledGradient[k].v[j];
                hat = (hat - mean) * inverse;
                sums.dweight[k].v[j] += g * hat;
                sums.dbias[k].v[j] += g;
                g *= weight.v[j];
                sum += g;
                products += g * hat;
            }
        });
        const auto width = static_cast<float>(a.forward.width);
        const float m1 = team.sum(sum) / width, m2 = team.sum(products) / width;
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            Four dz = widened(a.dz ? fetch<float>(a.dz, q) : Together<float>{});  // of all k earlier: too many registers
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) dz.v[j] += (scaledGradient[k].v[j] - m1 - normed[k].v[j] * m2) * inverse;
            store<float>(a.dr, q, dz);
            if (a.forward.gate) {
                const Four dgate = throughGate(drop, q, dz);
                if constexpr (!isLargest<Team>) sums.dgate[k] = added(sums.dgate[k], dgate);
            }
            drop.apply(dz, q);
            if constexpr (!isLargest<Team>) sums.ds[k] = added(sums.ds[k], dz);
            store<T>(a.ds, q, dz);
        });
    }

    /// What a quad is computed from. The gradients are 0 where there are none. A stored sum stands in place of r.
    struct RowOperands {
        ResidualOperands<T> ofSum;
        Together<float> dy, weight;
        Together<BFloat16> dy16, otherDy16;
    };
    HEDDLE_BOTH RowOperands operandsOf(const Quad& q, std::int64_t rowBegin) const {
        const auto ofSum =
            a.forward.z ? ResidualOperands<T>{fetch<float>(a.forward.z, q), {}} : ResidualOperands<T>::of(a.forward, q);
        return {ofSum, a.dy ? fetch<float>(a.dy, q) : Together<float>{}, fetch<float>(a.forward.weight, q, -rowBegin),
                a.dy16 ? fetch<BFloat16>(a.dy16, q) : Together<BFloat16>{},
                a.otherDy16 ? fetch<BFloat16>(a.otherDy16, q) : Together<BFloat16>{}};
    }

    HEDDLE_BOTH Four outputGradient(const RowOperands& operands) const {
        return added(added(widened(operands.dy), widened(operands.dy16)), widened(operands.otherDy16));
    }

    /// Returns dgate; dz becomes dz ⊙ g. Recomputes the branch, because registers are scarcer than random words.
    HEDDLE_BOTH Four throughGate(const Drawing& drop, const Quad& q, Four& dz) const {
        const ResidualBranch at = residualBranch<T>(a.forward, drop, q, BranchOperands<T>::of(a.forward, q));
        Four dgate;
        HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j) {
            const float g = at.gate.v[j];
            dgate.v[j] = dz.v[j] * at.s.v[j] * g * (1 - g);
            dz.v[j] *= g;
        }
        store<T>(a.dgate, q, dgate);
        return dgate;
    }
};

}  // namespace heddle::cuda
