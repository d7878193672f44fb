// SPDX-License-Identifier: Apache-2.0
// Properties of StarSaber stacks and of fixed points (variants.md section 7, A5 g, h, k, l, m, o).
#include "engine/device/torch_pch.h"
#include "engine/verify/one_block.h"
#include "engine/verify/stack_under_test.h"
#include "tests/dev/engine/properties.h"
#include "tests/dev/engine/tiny_models.h"

namespace heddle::verify {

namespace {

constexpr std::int64_t kB = 2, kS = 6, kD = 5;
constexpr double kContracting = 0.15, kFree = 0.6;  ///< deviations of the weights: norms well below 1, and well above

/// Describes an encoder of star layers, with `over` merged into the description (RFC 7386).
Json document(const Json& over) {
    Json made{{"topology", "encoder"},
              {"dims", {{"d", kD}, {"heads", 1}, {"layers_enc", 1}}},
              {"position", "none"},
              {"defaults", {{"norm", "none"}, {"residual", "none"}}},
              {"encoder", {{"sublayers", {{{"name", "star"}}}}}}};
    made.merge_patch(over);
    return made;
}

Json layers(std::int64_t count) { return {{"dims", {{"layers_enc", count}}}}; }

Json fixedPoint(Json params) {
    params["kind"] = "fixed_point";
    return {{"encoder", {{"share", params}}}};
}

/// An encoder with random weights. The weights at a path are the same in every composition that has this path.
struct Drawn {
    Drawn(const Json& over, double deviation) : encoder(document(over), at::kDouble) {
        fillNormal(encoder.store(), deviation, 11);
    }
    at::Tensor operator()(const at::Tensor& x) const { return encoder.run(x); }
    /// Copies parameter `from` to parameter `to`. Both are paths below the first layer's sublayer.
    void copy(const std::string& from, const std::string& to) const {
        const at::NoGradGuard noGrad;
        at::Tensor target = find(to);
        target.copy_(find(from));
    }
    at::Tensor find(const std::string& name) const { return encoder.store().find(encoder.path(0, "star") + "." + name); }

    StackUnderTest encoder;
};

at::Tensor input(std::uint64_t seed = 21) { return normalTensor({kB, kS, kD}, seed); }

/// Returns the distance between the answer to reordered positions and the reordered answer; 0 if the order does not matter.
double orderMatters(const Drawn& encoder) {
    const at::Tensor x = input(), order = at::tensor(std::vector<std::int64_t>{3, 0, 5, 1, 4, 2});
    return distance(encoder(x.index_select(1, order)), encoder(x).index_select(1, order));
}

/// Returns the gradients of ½Σy² with respect to the input and every parameter, as one vector.
at::Tensor gradients(const Drawn& encoder) {
    const at::Tensor x = input().set_requires_grad(true);
    backwardOfHalfSquares(encoder(x));
    std::vector<at::Tensor> all{x.grad().flatten()};
    for (const auto& entry : encoder.encoder.store().entries()) all.push_back(entry.tensor.grad().flatten());
    return at::cat(all);
}

}  // namespace

void checkDirectionAlone(CaseChecks& checks) {
    const Drawn directed(layers(3), kFree), undirected(layers(1), kFree);
    checks.exceeds("U != Q tells orders apart", orderMatters(directed), 1e-3);
    undirected.copy("value.u.weight", "value.q.weight");
    undirected.copy("value.u.bias", "value.q.bias");
    checks.bound("U = Q does not", orderMatters(undirected), 1e-12);
}

void checkFixedPointIsUnique(CaseChecks& checks) {
    const Json noDirectPath{{"encoder", {{"sublayers", {{{"name", "star"}, {"direct", "none"}}}}}}};
    const auto from = [](const char* start, Json over) {
        Json made = fixedPoint({{"max_iter", 500}});
        made.merge_patch(over);
        made["encoder"]["h0"] = start;
        return Drawn(made, kContracting);
    };
    const at::Tensor x = input(21), other = input(22);
    const Drawn fromInput = from("input", Json::object()), fromZero = from("zeros", Json::object());
    checks.bound("from x against from 0", distance(fromInput(x), fromZero(x)), 1e-10);
    checks.exceeds("another input, another point", distance(fromInput(x), fromInput(other)), 1e-3);
    const Drawn blind = from("input", noDirectPath);
    checks.bound("without V, another input", distance(blind(x), blind(other)), 1e-10);
}

void checkOneIterationIsOneLayer(CaseChecks& checks) {
    const Drawn once(fixedPoint({{"max_iter", 1}, {"on_failure", "report"}}), kFree), layer(layers(1), kFree);
    checks.bound("max_iter = 1 against eq. 4", distance(once(input()), layer(input())), 0);
    const Drawn twice(fixedPoint({{"max_iter", 2}, {"on_failure", "report"}}), kFree);
    checks.exceeds("max_iter = 2 against eq. 4", distance(twice(input()), layer(input())), 1e-3);
}

void checkZeroAlphaIsIdentity(CaseChecks& checks) {
    const auto differenceOf = [](const Json& over, double alpha) {
        const StackUnderTest encoder(document(over), at::kDouble);
        fillNormal(encoder.store(), kFree, 11);
        const at::NoGradGuard noGrad;
        for (const auto& [path, tensor] : encoder.store().entries()) {
            at::Tensor parameter = tensor;
            if (path.ends_with("residual.alpha")) parameter.fill_(alpha);
        }
        return distance(encoder.run(input()), input());
    };
    const Json star{{"defaults", {{"residual", "alpha"}}}, {"dims", {{"layers_enc", 2}}}};
    Json rezero = star;
    rezero["encoder"]["sublayers"] = Json::array({{{"name", "self"}, {"value", "heads_noproj"}}, {{"name", "ffn"}}});
    for (const auto& [name, over] : {std::pair{"StarSaber", star}, {"ReZero", rezero}}) {
        checks.bound(std::string(name) + " at 0", differenceOf(over, 0), 0);
        checks.exceeds(std::string(name) + " at 1", differenceOf(over, 1), 1e-3);
    }
}

void checkSharedLayersCountOnce(CaseChecks& checks) {
    const auto countsOf = [](const Json& over) { return StackUnderTest(document(over), at::kFloat).counts(); };
    Json shared = layers(4);
    shared["encoder"]["share"] = "shared";
    const Counts one = countsOf(layers(1)), four = countsOf(layers(4)), once = countsOf(shared);
    checks.compareCount("4 shared layers (built)", one.built, once.built);
    checks.compareCount("4 shared layers (formula)", one.formula, once.formula);
    checks.compareCount("a fixed point (built)", one.built, countsOf(fixedPoint(Json::object())).built);
    checks.compareCount("4 layers of their own (built)", 4 * one.built, four.built);
    checks.compareCount("4 layers of their own (formula)", 4 * one.formula, four.formula);
}

void checkChainIsRecurrence(CaseChecks& checks) {
    const auto chainOf = [](std::int64_t passes) {
        Json over = layers(passes);
        over["encoder"] = {{"share", "shared"}, {"sublayers", {{{"name", "star"}, {"scorer", "chain"}, {"value", "single"}}}}};
        return Drawn(over, kFree);
    };
    const Drawn chain = chainOf(kS);
    const at::Tensor u = chain.find("value.u.weight"), bU = chain.find("value.u.bias"), v = chain.find("direct.v.weight"),
                     bV = chain.find("direct.v.bias"), x = input();
    // Eq. 1, one position after the other.
    std::vector<at::Tensor> states;
    for (std::int64_t n = 0; n < kS; ++n) {
        const at::Tensor seen_BD = at::linear(x.select(1, n), v, bV);
        states.push_back(at::tanh(n == 0 ? seen_BD : at::linear(states.back(), u, bU) + seen_BD));
    }
    const at::Tensor expected_BSD = at::stack(states, 1);
    checks.bound("S passes against eq. 1", distance(chain(x), expected_BSD), 1e-12);
    checks.exceeds("S - 1 passes against eq. 1", distance(chainOf(kS - 1)(x), expected_BSD), 1e-9);
}

void checkFixedPointGradients(CaseChecks& checks) {
    const auto gradientsOf = [](Json params) {
        params["max_iter"] = 500;
        return gradients(Drawn(fixedPoint(params), kContracting));
    };
    const at::Tensor all = gradientsOf({{"grad", "unroll"}});
    checks.bound("implicit against unroll", distance(gradientsOf({{"grad", "implicit"}}), all), 1e-9);
    checks.bound("phantom(60) against unroll", distance(gradientsOf({{"grad", "phantom"}, {"m", 60}}), all), 1e-9);
    checks.exceeds("phantom(1) against unroll", distance(gradientsOf({{"grad", "phantom"}}), all), 1e-6);
    checks.exceeds("unroll(1) against unroll", distance(gradientsOf({{"grad", "unroll"}, {"m", 1}}), all), 1e-6);
}

}  // namespace heddle::verify
