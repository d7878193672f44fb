// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/stack_under_test.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"

namespace heddle::verify {

StackUnderTest::StackUnderTest(const Json& document, const at::TensorOptions& options, std::string name)
    : variant_(VariantSpec::parse(document, builtinCatalogue()).resolve(1, 1)),
      name_(std::move(name)),
      store_(emptyStore(options)),
      position_(Builder(variant_, store_, store_.type()).position()),
      stack_(Builder(variant_, store_, store_.type()).stack(name_, *position_)) {
    store_.to(options.device());
}

at::Tensor StackUnderTest::run(const at::Tensor& x_BSD, const MixContext& context, const Forward& f) const {
    return stack_.run(x_BSD, context, f);
}

at::Tensor StackUnderTest::run(const at::Tensor& x_BSD, Taps* taps) const {
    const KeyMasks keys({}, x_BSD.size(1), x_BSD.options());
    MixContext context;
    context.self = &keys;
    return run(x_BSD, context, {.taps = taps});
}

at::Tensor StackUnderTest::runFrom(const at::Tensor& h_BSD, const at::Tensor& x_BSD, const at::Tensor& padding_BS,
                                   Taps* taps) const {
    const KeyMasks keys(padding_BS, x_BSD.size(1), x_BSD.options());
    MixContext context;
    context.self = &keys;
    context.input = x_BSD;
    return stack_.runFrom(h_BSD, context, {.taps = taps});
}

std::string StackUnderTest::path(std::int64_t layer, const std::string& module) const {
    return name_ + ".layers." + std::to_string(layer < 0 ? depth() + layer : layer) + "." + module;
}

Counts StackUnderTest::counts(const std::string& module) const {
    const auto isPart = [&](const std::string& path) { return path == module || path.starts_with(module + "."); };
    Counts counts;
    for (const auto& [path, tensor] : store_.entries())
        if (isPart(path)) counts.built += tensor.numel();
    for (const ModuleCost& one : countCost(variant_).modules)
        if (isPart(one.path)) counts.formula += one.parameters;
    return counts;
}

}  // namespace heddle::verify
