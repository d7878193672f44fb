// SPDX-License-Identifier: Apache-2.0
// A residual that Heddle does not have, to see what a block costs to add: this file and one line (tests/CMakeLists.txt).
//   y = r + w · share · s    r, s, y [B,S,D]; w a learned number, 1 at the start
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

struct HalfOptions {
    double share = 0;
};

const OptionFields<HalfOptions>& halfOptions() {
    static const auto kFields = OptionFields<HalfOptions>().add(
        &HalfOptions::share, fields::number("share", 0.5, {0, 1}, "How much of the sublayer's output is added."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeHalfResidual() {
    BlockDescriptor b;
    b.title = "Half a residual";
    b.summary = "Adds half of the sublayer's output, weighted.";
    b.formula = "y = r + w share s";
    b.shapes = "r, s, y [B,S,D]; w a number";
    b.reference = "nobody; a test";
    b.parameters = halfOptions().schema();
    b.parameterCount = [](const BlockContext&, const Json&) { return 1; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

class HalfResidual final : public Residual {
public:
    HalfResidual(const BuildContext& c, const HalfOptions& o)
        : w_(c.scope.declare("w", {1}, {Initial::Kind::Ones})), share_(o.share) {}
    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor&, const at::Tensor& s_BSD, const Forward&) const override {
        return r_BSD + w_ * (s_BSD * share_);
    }

private:
    at::Tensor w_;
    double share_;
};

}  // namespace

std::unique_ptr<Block> makeHalfResidual(const BuildContext& context) {
    return std::make_unique<HalfResidual>(context, halfOptions().read(context.params));
}

#endif

}  // namespace heddle
