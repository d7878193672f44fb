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
    Forward f;
    f.taps = taps;
    return run(x_BSD, context, f);
}

at::Tensor StackUnderTest::runFrom(const at::Tensor& h_BSD, const at::Tensor& x_BSD, const at::Tensor& padding_BS,
                                   Taps* taps) const {
    const KeyMasks keys(padding_BS, x_BSD.size(1), x_BSD.options());
    MixContext context;
    context.self = &keys;
    context.input_BSD = x_BSD;
    Forward f;
    f.taps = taps;
    return stack_.runFrom(h_BSD, context, f);
}

std::string StackUnderTest::path(std::int64_t layer, const std::string& module) const {
    return name_ + ".layers." + std::to_string(layer < 0 ? depth() + layer : layer) + "." + module;
}

std::int64_t StackUnderTest::formulaCount(const std::string& module) const {
    std::int64_t count = 0;
    for (const ModuleCost& one : countCost(variant_, builtinCatalogue()).modules)
        if (one.path == module || one.path.starts_with(module + ".")) count += one.parameters;
    return count;
}

}  // namespace heddle::verify
