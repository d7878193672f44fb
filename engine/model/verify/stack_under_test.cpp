// SPDX-License-Identifier: Apache-2.0
#include "engine/model/verify/stack_under_test.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"

namespace heddle::verify {

EncoderUnderTest::EncoderUnderTest(const Json& document, at::ScalarType type)
    : variant_(VariantSpec::parse(document, builtinCatalogue()).resolve(1, 1)),
      store_(emptyStore(type)),
      position_(Builder(variant_, store_, type).position()),
      stack_(Builder(variant_, store_, type).encoder(*position_)) {}

at::Tensor EncoderUnderTest::run(const at::Tensor& x_BSD, Taps* taps) const {
    const KeyMasks keys({}, x_BSD.size(1), x_BSD.options());
    MixContext context;
    context.self = &keys;
    Forward f;
    f.taps = taps;
    return stack_.run(x_BSD, context, f);
}

at::Tensor EncoderUnderTest::runFrom(const at::Tensor& h_BSD, const at::Tensor& x_BSD, const at::Tensor& padding_BS,
                                     Taps* taps) const {
    const KeyMasks keys(padding_BS, x_BSD.size(1), x_BSD.options());
    MixContext context;
    context.self = &keys;
    context.input_BSD = x_BSD;
    Forward f;
    f.taps = taps;
    return stack_.runFrom(h_BSD, context, f);
}

std::string EncoderUnderTest::path(std::int64_t layer, const std::string& sublayer) const {
    return "encoder.layers." + std::to_string(layer) + "." + sublayer;
}

std::int64_t EncoderUnderTest::formulaCount() const {
    std::int64_t count = 0;
    for (const ModuleCost& module : countCost(variant_, builtinCatalogue()).modules)
        if (module.path.starts_with("encoder.")) count += module.parameters;
    return count;
}

}  // namespace heddle::verify
