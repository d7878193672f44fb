// SPDX-License-Identifier: Apache-2.0
// Cases of attention for the tests of its kernels on host and device, and their definition in float64.
#pragma once

#include "engine/device/torch_pch.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/short_attention.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

namespace heddle::testing_support {

struct AttentionCase {
    std::int64_t batch = 3, heads = 2, queries = 0, keys = 0, width = 0;
    bool adds = false;  ///< p
    enum class Gate { None, OfHeads, Shared } gate = Gate::None;
    enum class Bias { None, OfKeys, Scalar } bias = Bias::None;
    enum class Mask { None, Causal, Padding, Both } mask = Mask::None;
    CarriedTerm::Next next = CarriedTerm::Next::Own;
    std::optional<double> atHidden = {};
    cuda::GateActivation activation = cuda::GateActivation::Tanh;
    double divisor = 1, p = 0, scale = 0.3;
};

/// The operands of a case, or their gradients; undefined where a case has none. q, k, v and dout [B,H,S,E].
struct AttentionOperands {
    at::Tensor q, k, v, carried, weight, bias, dout = {}, dnext = {}, hidden = {};
    RandomKey key = {};
};

/// With the type of p. q, k and v of self-attention are parts of one tensor; W and b of longer sequences are cut.
inline AttentionOperands drawnOperands(const AttentionCase& in, at::ScalarType carriedType) {
    const auto drawnOf = [](const char* name, at::IntArrayRef sizes, at::ScalarType type) {
        return drawnDoubles(3, name, sizes).to(at::kBFloat16).to(type);
    };
    const auto heads = [&](const at::Tensor& x_BSD) {
        return x_BSD.view({in.batch, x_BSD.size(1), in.heads, in.width}).transpose(1, 2);
    };
    const std::int64_t d = in.heads * in.width;
    AttentionOperands of;
    if (in.queries == in.keys) {
        const at::Tensor joint = drawnOf("joint", {in.batch, in.keys, 3 * d}, at::kBFloat16);
        of.k = heads(joint.narrow(2, 0, d)), of.v = heads(joint.narrow(2, d, d)), of.q = heads(joint.narrow(2, 2 * d, d));
    } else {
        const at::Tensor joint = drawnOf("joint", {in.batch, in.keys, 2 * d}, at::kBFloat16);
        of.k = heads(joint.narrow(2, 0, d)), of.v = heads(joint.narrow(2, d, d));
        of.q = heads(drawnOf("q", {in.batch, in.queries, d}, at::kBFloat16));
    }
    const std::vector<std::int64_t> scores{in.batch, in.heads, in.queries, in.keys};
    if (in.adds) of.carried = drawnOf("p", scores, carriedType);
    using Case = AttentionCase;
    const auto cut = [&](const at::Tensor& x, int axis) { return x.narrow(axis, 0, in.keys); };
    if (in.gate != Case::Gate::None) {
        const std::int64_t sets = in.gate == Case::Gate::Shared ? 1 : in.heads, longest = in.keys + 3;
        const at::Tensor whole = drawnOf("w", {sets, longest, longest}, at::kFloat) / 4;
        of.weight = cut(cut(whole, 1), 2);
        if (in.bias == Case::Bias::OfKeys) of.bias = cut(drawnOf("b", {sets, longest}, at::kFloat), 1);
        if (in.bias == Case::Bias::Scalar) of.bias = drawnOf("b", {sets, 1}, at::kFloat);
    }
    of.dout = heads(drawnOf("dout", {in.batch, in.queries, d}, at::kBFloat16)),
    of.dnext = drawnOf("dnext", scores, carriedType);
    if (in.mask != Case::Mask::None) {
        of.hidden = at::zeros({in.mask == Case::Mask::Causal ? 1 : in.batch, 1, in.queries, in.keys}, at::kBool);
        if (in.mask != Case::Mask::Padding)
            of.hidden.logical_or_(at::ones({in.queries, in.keys}, at::kBool).triu(1 + in.keys - in.queries));
        if (in.mask != Case::Mask::Causal) of.hidden[1].slice(2, in.keys - 2).fill_(true);
    }
    of.key = randomKey(5, "attention", 3, 1);
    return of;
}

inline at::Tensor activatedBy(cuda::GateActivation activation, const at::Tensor& x) {
    switch (activation) {
    case cuda::GateActivation::Tanh: return at::tanh(x);
    case cuda::GateActivation::Sigmoid: return at::sigmoid(x);
    case cuda::GateActivation::Relu: return at::relu(x);
    case cuda::GateActivation::Hardtanh: return at::hardtanh(x);
    }
    return x;
}

/// What was computed, with the gradients in the places of the operands.
struct AttentionResults {
    at::Tensor out, next;
    AttentionOperands gradients;
};

inline void expectDefinition(const AttentionCase& in, const AttentionOperands& of, const AttentionResults& made) {
    constexpr double kTolerance = 1e-2;
    const auto leafOf = [](const at::Tensor& x) { return x.defined() ? leaf(x) : x; };
    const at::Tensor q = leafOf(of.q), k = leafOf(of.k), v = leafOf(of.v), carried = leafOf(of.carried),
                     weight = leafOf(of.weight), bias = leafOf(of.bias);
    const at::Tensor s = at::matmul(q, k.transpose(2, 3)) * in.scale;
    at::Tensor z = s, x;
    if (carried.defined()) {
        const at::Tensor p = in.atHidden && of.hidden.defined() ? carried.masked_fill(of.hidden, *in.atHidden) : carried;
        if (weight.defined()) {
            const at::Tensor product = at::matmul(p, weight);
            // Rounded like the kernel's, so that both are on the same side of a kink of ψ.
            x = product + (product.to(at::kBFloat16).to(at::kDouble) - product).detach();
            if (bias.defined()) x = x + bias.unsqueeze(1);
            x.retain_grad();
        }
        z = s + (weight.defined() ? p * activatedBy(in.activation, x) : p);
    }
    const at::Tensor logits = of.hidden.defined() ? (z / in.divisor).masked_fill(of.hidden, -1e30) : z / in.divisor;
    at::Tensor weights = at::softmax(logits, -1);
    if (in.p > 0) weights = weights * dropoutMask(of.key, in.p, weights.sizes(), at::kDouble);
    const at::Tensor out = at::matmul(weights, v), next = in.next == CarriedTerm::Next::Sum ? z : s;
    ((out * of.dout).sum() + (next * of.dnext).sum()).backward();
    EXPECT_LT(relative(made.out, out), kTolerance) << "out";
    EXPECT_LT(relative(made.next, next), kTolerance) << "next";
    const auto expectGradient = [&](const at::Tensor& gradient, const at::Tensor& of64, const char* name) {
        if (of64.defined()) {
            EXPECT_LT(relative(gradient, of64.grad()), kTolerance) << name;
        }
    };
    const AttentionOperands& g = made.gradients;
    expectGradient(g.q, q, "q"), expectGradient(g.k, k, "k"), expectGradient(g.v, v, "v");
    expectGradient(g.carried, carried, "p"), expectGradient(g.weight, weight, "W");
    // A sum of terms of both signs, each rounded: its error is small beside the terms, not beside the sum.
    if (bias.defined()) {
        EXPECT_LT((g.bias - bias.grad()).norm().item<double>(), kTolerance * x.grad().norm().item<double>()) << "b";
    }
}

}  // namespace heddle::testing_support
