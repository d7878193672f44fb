// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/checks.h"

#include "engine/base/error.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/model/builder.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/variant_spec.h"
#include "engine/verify/one_block.h"

namespace heddle::verify {

namespace {

constexpr double kTolerance64 = 1e-10, kTolerance32 = 1e-5;

void sizesOf(const Json& array, std::vector<std::int64_t>& sizes) {
    if (!array.is_array()) return;
    sizes.push_back(static_cast<std::int64_t>(array.size()));
    if (!array.empty()) sizesOf(array.front(), sizes);
}

/// Appends the numbers in order; every level must have the size found on the way to the first number.
void numbersOf(const Json& array, const std::vector<std::int64_t>& sizes, std::size_t depth, std::vector<double>& numbers) {
    if (depth == sizes.size()) {
        if (!array.is_number() && !array.is_boolean())
            throwInvalid("an array contains something other than numbers", array.dump(), "");
        numbers.push_back(array.is_boolean() ? static_cast<double>(array.get<bool>()) : array.get<double>());
        return;
    }
    if (!array.is_array() || static_cast<std::int64_t>(array.size()) != sizes[depth]) {
        throwInvalid("an array is not rectangular", "axis " + std::to_string(depth), "give every row the same length");
    }
    for (const Json& element : array) numbersOf(element, sizes, depth + 1, numbers);
}

std::string sizesText(const at::Tensor& t) { return c10::str(t.sizes()); }

}  // namespace

at::Tensor tensorFromJson(const Json& array, const at::TensorOptions& options) {
    std::vector<std::int64_t> sizes;
    sizesOf(array, sizes);
    std::vector<double> numbers;
    numbersOf(array, sizes, 0, numbers);
    return at::tensor(numbers, at::TensorOptions(at::kDouble)).reshape(sizes).to(options);
}

at::Tensor leafFromJson(const Json& array, const at::TensorOptions& options) {
    return tensorFromJson(array, options).set_requires_grad(true);
}

void backwardOfHalfSquares(const at::Tensor& y) { (y.square().sum() * 0.5).backward(); }

void CaseChecks::compare(const std::string& output, const Json& expected, const at::Tensor& computed) {
    compared_.insert(output);
    const bool wide = computed.scalar_type() == at::kDouble;
    const std::string what = output + (wide ? " (float64)" : " (float32)");
    const at::Tensor want = tensorFromJson(expected, at::kDouble), got = computed.detach().to(at::kCPU, at::kDouble);
    if (want.sizes() != got.sizes())
        return judge(what, false, std::numeric_limits<double>::infinity(),
                     "computed " + sizesText(got) + ", the file has " + sizesText(want));
    const at::Tensor error = (got - want).abs();
    // The tolerance of float32 is that of values around 1: larger ones carry larger rounding errors.
    const at::Tensor allowed = wide ? at::full_like(want, kTolerance64) : want.abs().clamp_min(1) * kTolerance32;
    const bool within = error.le(allowed).all().item<bool>();  // false for NaN
    judge(what, within, error.numel() > 0 ? error.max().item<double>() : 0,
          c10::str(error.numel(), " values, tolerance ", wide ? kTolerance64 : kTolerance32));
}

void CaseChecks::compareAll(const Json& outputs, const std::vector<std::pair<std::string, at::Tensor>>& computed) {
    for (const auto& [output, tensor] : computed)
        if (outputs.contains(output)) compare(output, outputs.at(output), tensor);
}

void CaseChecks::judge(const std::string& what, bool passes, double error, const std::string& detail) {
    checks_.push_back({case_ + "/" + what, passes ? VerifyCheck::Status::Pass : VerifyCheck::Status::Fail, error, detail});
}

void CaseChecks::compareCount(const std::string& what, std::int64_t expected, std::int64_t computed) {
    compared_.insert(what);
    const std::string count = std::to_string(computed);
    judge(what, expected == computed, std::abs(static_cast<double>(computed - expected)),
          expected == computed ? count : "computed " + count + ", the file has " + std::to_string(expected));
}

void CaseChecks::compareCounts(const std::string& what, std::int64_t expected, const Counts& computed) {
    compareCount(what + " (built)", expected, computed.built);
    compareCount(what + " (formula)", expected, computed.formula);
}

void CaseChecks::compareNumber(const std::string& what, double expected, double computed) {
    compared_.insert(what);
    const double error = std::abs(computed - expected);
    judge(what, error <= kTolerance64 * std::max(1.0, std::abs(expected)), error, c10::str("computed ", computed));
}

void CaseChecks::bound(const std::string& what, double value, double limit) {
    judge(what, value <= limit, value, c10::str("at most ", limit));
}

void CaseChecks::exceeds(const std::string& what, double value, double limit) {
    judge(what, value > limit, value, c10::str("more than ", limit));
}

void CaseChecks::report(const std::string& what, const std::string& detail) {
    compared_.insert(what);
    checks_.push_back({case_ + (what.empty() ? "" : "/" + what), VerifyCheck::Status::Reported, 0, detail});
}

void CaseChecks::reportRest(const Json& outputs) {
    for (const auto& [name, value] : outputs.items()) {
        if (!compared_.contains(name)) reportUnknown(name);
    }
}

ParameterStore emptyStore(const at::TensorOptions& options) {
    return {0, makeInit({"normal", blockParameters("init", "normal")}), options.dtype().toScalarType()};
}

void load(const ParameterStore& store, const std::string& path, const Json& array) {
    at::Tensor parameter = store.find(path);
    TORCH_INTERNAL_ASSERT(parameter.defined(), "no parameter ", path);
    const at::Tensor value = tensorFromJson(array, parameter.scalar_type());
    if (value.sizes() != parameter.sizes()) {
        throwInvalid("an array of sizes " + sizesText(value) + " where the module has " + sizesText(parameter), path,
                     "check the shapes of this case");
    }
    const at::NoGradGuard noGrad;
    parameter.copy_(value);
}

void loadLinear(const ParameterStore& store, const std::string& path, const Json& weights, const std::string& name) {
    load(store, path + ".weight", weights.at("W" + name));
    if (weights.contains("b" + name)) load(store, path + ".bias", weights.at("b" + name));
}

at::Tensor normalTensor(at::IntArrayRef sizes, std::uint64_t seed) { return normal(randomKey(seed, "verify"), sizes, 0, 1); }

void fillNormal(const ParameterStore& store, double deviation, std::uint64_t seed) {
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : store.entries()) {
        at::Tensor parameter = tensor;
        parameter.copy_(normal(randomKey(seed, path), parameter.sizes(), 0, deviation));
    }
}

Json blockParameters(const std::string& slot, const std::string& id, const Json& given) {
    return withDefaults(parameterSchema(builtinCatalogue().at(slot, id)), given);
}

std::int64_t rowsOf(const Json& matrix) { return static_cast<std::int64_t>(matrix.size()); }

std::int64_t columnsOf(const Json& matrix) { return static_cast<std::int64_t>(matrix.at(0).size()); }

}  // namespace heddle::verify
