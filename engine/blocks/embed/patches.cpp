// SPDX-License-Identifier: Apache-2.0
// Patch embedding of images (Dosovitskiy et al. 2021, eq. 1): x_s = W p_s + b, a learned class token before the first
//   p [B,S,P] patches, P = size² · channels numbers each; W [D,P]; x [B,S,D], or [B,1+S,D] with the class token
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

struct PatchesOptions {
    std::int64_t size = 1, channels = 1;
    bool classToken = true;
    double dropout = 0;
};

const OptionFields<PatchesOptions>& patchesOptions() {
    static const auto kFields =
        OptionFields<PatchesOptions>()
            .add(&PatchesOptions::size, fields::integer("size", 16, {1, 1024}, "Width and height of a patch, in pixels."))
            .add(&PatchesOptions::channels,
                 fields::integer("channels", 3, {1, 256}, "Channels of the image: 3 for RGB, 1 for grey."))
            .add(&PatchesOptions::classToken,
                 fields::flag("class_token", true, "Whether a learned class token is placed before the first patch."))
            .add(&PatchesOptions::dropout,
                 fields::number("dropout", 0.1, fields::kDropout, "Dropout probability after the position encoding is added."));
    return kFields;
}

std::int64_t patchNumbers(const PatchesOptions& o) { return o.size * o.size * o.channels; }

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describePatchesEmbedding() {
    BlockDescriptor b;
    b.title = "Image patches";
    b.summary =
        "Patch embedding (ViT, Dosovitskiy et al. 2021): a linear map of every square patch of an image, with a learned class "
        "token before the first.";
    b.formulaOf = patchesOptions().reading([](const PatchesOptions& o) -> std::string {
        return o.classToken ? "x = [class; W p₁ + b; W p₂ + b; …]" : "x = [W p₁ + b; W p₂ + b; …]";
    });
    b.shapes = "p [B,S,P], P = size² · channels; W [D,P]; x [B,S,D], with the class token [B,S+1,D]";
    b.reference = "Dosovitskiy et al. 2021 (ViT, arXiv 2010.11929), eq. 1";
    b.parameters = patchesOptions().schema();
    b.parameterCount = patchesOptions().on([](const BlockContext& where, const PatchesOptions& o) {
        return (patchNumbers(o) + 1) * where.dims.d + (o.classToken ? where.dims.d : 0);
    });
    b.flopsPerToken = patchesOptions().on([](const BlockContext& where, const PatchesOptions& o) {
        return 2.0 * static_cast<double>(patchNumbers(o) * where.dims.d);
    });
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.topology == Topology::Encoder) return std::nullopt;
        return Problem{"source", "topology \"" + wordOf(where.topology) + "\" reads words, not images",
                       "set topology to \"encoder\""};
    };
    b.patches = patchesOptions().reading([](const PatchesOptions& o) { return PatchForm{o.size, o.channels, o.classToken}; });
    return b;
}

#else

namespace {

class PatchesEmbedding final : public Embedding {
public:
    PatchesEmbedding(const BuildContext& c, const PatchesOptions& o)
        : stream_(c.scope.path() + ".source"),
          dropout_(o.dropout),
          patch_(declareLinear(c.scope / "patch", patchNumbers(o), c.where.dims.d)) {
        if (o.classToken) class_1D_ = (c.scope / "class").declare("weight", {1, c.where.dims.d}, {Initial::Kind::Embedding, 1});
    }

    at::Tensor embed(Side, const Input& in) const override {
        const at::Tensor& patches_BSP = in.ids_BS;
        at::Tensor x_BSD = patch_(patches_BSP.to(patch_.weight.scalar_type()));
        if (!class_1D_.defined()) return x_BSD;
        return at::cat({class_1D_.expand({x_BSD.size(0), 1, x_BSD.size(2)}).to(x_BSD.scalar_type()), x_BSD}, 1);
    }

    at::Tensor finish(Side, const at::Tensor& x_BSD, const Forward& f) const override {
        return f.dropout(x_BSD, dropout_, stream_);
    }

    at::Tensor padding(const at::Tensor&) const override { return {}; }
    const at::Tensor& table(Side) const override { return noTable_; }
    bool tiesOutput() const override { return false; }

private:
    std::string stream_;
    double dropout_;
    Linear patch_;
    at::Tensor class_1D_;  // undefined without a class token
    at::Tensor noTable_;
};

}  // namespace

std::unique_ptr<Block> makePatchesEmbedding(const BuildContext& context) {
    return std::make_unique<PatchesEmbedding>(context, patchesOptions().read(context.params));
}

#endif

}  // namespace heddle
