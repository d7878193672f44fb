// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes over the parameters in a table (PackedParameters), and over the scalars of a step. "Rows" are parts of parameters;
// teams as in rows.h. Sums have a fixed order.

#include "engine/kernels/cuda/elements.h"

namespace heddle::cuda {

constexpr std::int64_t partsOf(std::int64_t elements) { return (elements + kElementsPerPart - 1) / kElementsPerPart; }

/// The part processed by one team.
struct CurrentPart {
    PackedParameter of;
    Span span;

    HEDDLE_BOTH CurrentPart(const PackedParameters& all, std::int64_t part) {
        const PackedPart at = all.parts[part];
        of = all.parameters[at.parameter];
        const std::int64_t begin = at.number * kElementsPerPart, left = of.n - begin;
        span = {begin, left < kElementsPerPart ? left : kElementsPerPart};
    }
};

struct GradientSquaresPass {
    GradientSquaresArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t part, Team& team) const {
        const CurrentPart at(a.of, part);
        float sum = 0;  // of a few elements a lane
        for (std::int64_t i = team.lane(); i < at.span.quads(); i += team.lanes()) {
            Four g = load<float>(at.of.gradient, at.span.quad(i));
            HEDDLE_UNROLL
            for (float& v : g.v) v *= v;
            sum += total(g);
        }
        const double all = team.sum(static_cast<double>(sum));
        if (team.lane() == 0) a.squares[part] = all;
    }
};

/// A row is a parameter; the last row stands for all parameters.
struct GradientNormPass {
    GradientNormArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const bool isAll = row == a.of.parameterCount;
        std::int64_t first = 0, end = a.of.partCount;
        if (!isAll) {
            first = a.of.parameters[row].firstPart;
            end = first + partsOf(a.of.parameters[row].n);
        }
        double sum = 0;
        for (std::int64_t i = first + team.lane(); i < end; i += team.lanes()) sum += a.squares[i];
        const auto norm = static_cast<float>(std::sqrt(team.sum(sum)));
        if (team.lane() != 0) return;
        if (isAll)
            writeNorm(norm);
        else
            a.norms[row] = norm;
    }

private:
    HEDDLE_BOTH void writeNorm(float norm) const {
        const float seen = norm + *a.objective;
        const float ratio = (norm + 1e-6F) / static_cast<float>(a.clip);
        *a.norm = norm;
        *a.notFinite = seen - seen == 0 ? 0.0F : 1.0F;  // x − x is NaN for infinities and NaN
        *a.divisor = a.clip > 0 && ratio > 1 ? ratio : 1.0F;
        *a.step += 1;
    }
};

struct AdamPass {
    AdamArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t part, Team& team) const {
        if (*a.notFinite == 1) return;
        const CurrentPart at(a.of, part);
        const Rates rates(a, at.of.group);
        for (std::int64_t i = team.lane(); i < at.span.quads(); i += team.lanes()) {
            const Quad q = at.span.quad(i);
            Four value = load<float>(at.of.value, q), mean = load<float>(at.of.mean, q), square = load<float>(at.of.square, q);
            const Four gradient = load<float>(at.of.gradient, q);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) updateOne(rates, gradient.v[j], value.v[j], mean.v[j], square.v[j]);
            store<float>(at.of.value, q, value);
            store<float>(at.of.mean, q, mean);
            store<float>(at.of.square, q, square);
            if (at.of.reduced) store<BFloat16>(at.of.reduced, q, value);
        }
    }

private:
    /// Values shared by all elements of a parameter.
    struct Rates {
        float learningRate, divisor, stepSize, rootOfCorrection;
        HEDDLE_BOTH Rates(const AdamArguments& a, std::int64_t group)
            : learningRate(a.learningRates[group]), divisor(*a.divisor) {
            stepSize = learningRate / (1 - std::pow(a.beta1, *a.step));
            rootOfCorrection = std::sqrt(1 - std::pow(a.beta2, *a.step));
        }
    };

    HEDDLE_BOTH void updateOne(const Rates& rates, float gradient, float& value, float& mean, float& square) const {
        float g = gradient / rates.divisor;
        if (a.weightDecay != 0) {
            if (a.decouples)
                value -= rates.learningRate * a.weightDecay * value;
            else
                g += value * a.weightDecay;
        }
        mean = std::fma(a.beta1, mean, std::fma(-a.beta1, g, g));
        square = std::fma(a.beta2, square, std::fma(-a.beta2, g * g, g * g));
        value -= rates.stepSize * mean / (std::sqrt(square) / rates.rootOfCorrection + a.epsilon);
    }
};

/// One row.
struct StepRingPass {
    StepRingArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t, Team& team) const {
        if (team.lane() != 0) return;
        const std::int64_t row = *a.cursor;
        HEDDLE_UNROLL
        for (int i = 0; i < StepRingArguments::kColumns; ++i) a.values[row * StepRingArguments::kColumns + i] = *a.scalars[i];
        *a.cursor = row + 1;
    }
};

}  // namespace heddle::cuda
