// SPDX-License-Identifier: Apache-2.0
// A block that Heddle does not have, to see what one costs to add: this file and one line (tests/CMakeLists.txt).
//   y = r + w · s / 2    r, s, y [B,S,D]; w a learned number, 1 at the start
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeHalfResidual() {
    BlockDescriptor b;
    b.title = "Half a residual";
    b.summary = "Adds half of the sublayer's output, weighted.";
    b.formula = "y = r + w s / 2";
    b.shapes = "r, s, y [B,S,D]; w a number";
    b.reference = "nobody; a test";
    b.parameterCount = [](const BlockContext&, const Json&) { return 1; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    b.keptTensors = [](const BlockContext& where, const Json&) -> KeptTensors {
        return {{where.streamBytes(where.dims.d)}, ""};  // s / 2
    };
    return b;
}

#else

namespace {

class HalfResidual final : public Residual {
public:
    explicit HalfResidual(const BuildContext& c) : w_(c.scope.declare("w", {1}, {Initial::Kind::Ones})) {}
    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor&, const at::Tensor& s_BSD, const Forward&) const override {
        return r_BSD + w_ * (s_BSD / 2);
    }

private:
    at::Tensor w_;
};

}  // namespace

std::unique_ptr<Block> makeHalfResidual(const BuildContext& context) { return std::make_unique<HalfResidual>(context); }

#endif

}  // namespace heddle
