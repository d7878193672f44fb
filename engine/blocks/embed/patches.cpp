// SPDX-License-Identifier: Apache-2.0
// Patch embedding of images (Dosovitskiy et al. 2021, eq. 1): x_s = W p_s + b, a learned class token before the first
//   p [B,S,P] patches, P = size² · channels numbers each; W [D,P]; x [B,S,D], or [B,1+S,D] with the class token
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

std::int64_t patchNumbers(const Json& params) {
    const auto size = params.at("size").get<std::int64_t>();
    return size * size * params.at("channels").get<std::int64_t>();
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describePatchesEmbedding() {
    BlockDescriptor b;
    b.title = "Image patches";
    b.summary = "A linear map of every square patch of an image, with a learned class token in front.";
    b.formula = "x = [class; W p₁ + b; W p₂ + b; …]";
    b.shapes = "p [B,S,P], P = size² · channels; W [D,P]; x [B,S,D], with the class token [B,S+1,D]";
    b.reference = "Dosovitskiy et al. 2021, eq. 1";
    b.parameters = {fields::integer("size", 16, {1, 1024}, "Edge of a patch, in pixels."),
                    fields::integer("channels", 3, {1, 256}, "Numbers a pixel has."),
                    fields::flag("class_token", true, "Whether a learned vector stands before the first patch."),
                    fields::number("dropout", 0.1, fields::kDropout, "Dropout probability after the position has been added.")};
    b.parameterCount = [](const BlockContext& where, const Json& params) {
        return (patchNumbers(params) + 1) * where.dims.d + (params.at("class_token").get<bool>() ? where.dims.d : 0);
    };
    b.flopsPerToken = [](const BlockContext& where, const Json& params) {
        return 2.0 * static_cast<double>(patchNumbers(params) * where.dims.d);
    };
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.topology == "encoder") return std::nullopt;
        return Problem{"source", "topology \"" + where.topology + "\" reads words, not images", "set topology to \"encoder\""};
    };
    b.keptTensors = [](const BlockContext& where, const Json& params) -> KeptTensors {
        return {{where.streamBytes(patchNumbers(params))}};
    };
    b.flopsOnInput = b.flopsPerToken;
    return b;
}

#else

namespace {

class PatchesEmbedding final : public Embedding {
public:
    explicit PatchesEmbedding(const BuildContext& c)
        : stream_(c.scope.path() + ".source"),
          dropout_(c.params.at("dropout").get<double>()),
          patch_(declareLinear(c.scope / "patch", patchNumbers(c.params), c.where.dims.d)) {
        if (c.params.at("class_token").get<bool>())
            class_1D_ = (c.scope / "class").declare("weight", {1, c.where.dims.d}, {Initial::Kind::Embedding, 1});
    }

    at::Tensor look(Side, const at::Tensor& patches_BSP, const at::Tensor&) const override {
        const at::Tensor x_BSD = patch_(patches_BSP.to(patch_.weight.scalar_type()));
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

std::unique_ptr<Block> makePatchesEmbedding(const BuildContext& context) { return std::make_unique<PatchesEmbedding>(context); }

#endif

}  // namespace heddle
