// SPDX-License-Identifier: Apache-2.0
// Plain residual connection (He et al. 2015; Vaswani et al. 2017, section 3.1): y = r + s, all [B,S,D].
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeAddResidual() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Residual sum";
    b.summary = "Residual connection (He et al. 2016): adds the sublayer's output to its input.";
    b.formula = "y = r + s";
    b.shapes = "r, s, y [B,S,D]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762), section 3.1; He et al. 2016 (arXiv 1512.03385)";
    return b;
}

#else

namespace {

class AddResidual final : public Residual, public AddingResidual {
public:
    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor&, const at::Tensor& s_BSD, const Forward&) const override {
        return r_BSD + s_BSD;
    }
    std::optional<Gate> gate(const at::Tensor&, const at::Tensor&, const Forward&) const override { return Gate{}; }
};

}  // namespace

std::unique_ptr<Block> makeAddResidual(const BuildContext&) { return std::make_unique<AddResidual>(); }

#endif

}  // namespace heddle
