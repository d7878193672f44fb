// SPDX-License-Identifier: Apache-2.0
// Skip connections of a U-Net (Ronneberger et al. 2015) over the layers of a stack (x-transformers' unet_skips). On one
// sublayer of every layer l of L, from 0, the block joins in the second half the state that entered the layer's counterpart:
//   r = W [x_{L−1−l}; x_l] if 2 l ≥ L, else r = x_l;  y = r + s
// x, r, s, y [B,S,D]; W [D,2D]; x_l enters layer l, before it is joined.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/streams.h"
#endif

namespace heddle {

namespace {

std::int64_t layersAround(const BlockContext& where) {
    return where.stack == StackName::Encoder ? where.dims.layersEnc : where.dims.layersDec;
}

bool joinsSkip(const BlockContext& where) { return 2 * where.layer >= layersAround(where); }

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeUnetResidual() {
    BlockDescriptor b;
    b.title = "U-Net skip connection";
    b.summary =
        "Skip connections as in a U-Net (Ronneberger et al. 2015): a layer of the second half reads, through a linear map, the "
        "state that entered its counterpart in the first half beside the stream.";
    b.formula = "y = r + s, r = W [x_{L−1−l}; x_l] in layers l ≥ L/2, else r = x_l";
    b.shapes = "x, r, s, y [B,S,D]; W [D,2D]";
    b.reference = "U-Net, Ronneberger et al. 2015 (arXiv 1505.04597); unet_skips of x-transformers 2.16.1";
    b.reading =
        "Reading. As in x-transformers, the joined vector replaces the stream, and the last layer's counterpart is the first. "
        "The block belongs on the first sublayer of every layer alone; the others have the residual connection add.";
    b.parameterCount = [](const BlockContext& where, const Json&) -> std::int64_t {
        return joinsSkip(where) ? 2 * where.dims.d * where.dims.d : 0;
    };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return joinsSkip(where) ? 4.0 * static_cast<double>(where.dims.d * where.dims.d) : 0.0;
    };
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.before == where.layer) return std::nullopt;
        return Problem{"", "skips join layers, so one sublayer of every layer has the block",
                       "set it on the first sublayer in the stack's list, and add on the others"};
    };
    b.reads = DepthReading::Entries;
    return b;
}

#else

namespace {

class UnetResidual final : public DepthResidual {
public:
    explicit UnetResidual(const BuildContext& c) {
        if (!joinsSkip(c.where)) return;
        const std::int64_t d = c.where.dims.d, counterpart = layersAround(c.where) - 1 - c.where.layer;
        combine_ = declareLinear(c.scope / "combine", 2 * d, d, WithBias::No);
        source_ = static_cast<std::size_t>(counterpart) + 1;  // the first state is h⁰
    }

    Entry enter(DepthStates& states, const at::Tensor& h_BSD, const Forward&) const override {
        states.push_back(h_BSD);
        if (!combine_.weight.defined()) return {h_BSD, h_BSD};
        const at::Tensor joined_BSD = combine_(at::cat({states.at(source_), h_BSD}, -1)).to(h_BSD.scalar_type());
        return {joined_BSD, joined_BSD};
    }

    at::Tensor joinOver(DepthStates&, const at::Tensor& r_BSD, const at::Tensor& s_BSD, const Forward&) const override {
        return r_BSD + s_BSD;
    }

private:
    Linear combine_;  // none in the first half
    std::size_t source_ = 0;
};

}  // namespace

std::unique_ptr<Block> makeUnetResidual(const BuildContext& context) { return std::make_unique<UnetResidual>(context); }

#endif

}  // namespace heddle
