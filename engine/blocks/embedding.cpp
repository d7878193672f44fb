// SPDX-License-Identifier: Apache-2.0
// Token embedding (Vaswani et al. 2017, section 3.4): x = c · E[id], then the position, then dropout.
//   ids [B,S]; E [V,D], one table a side or one for both; x [B,S,D]; c = 1 (variants.md 1.6) or √D
#include "engine/blocks/embedding.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeEmbedding(EmbeddingTies ties) {
    BlockDescriptor b;
    b.formula = "x = c · E[id]";
    b.reference = "Vaswani et al. 2017, section 3.4; Press and Wolf 2017 for tying";
    b.parameters = {fields::choice("scale", {"one", "sqrt_d"}, "What c is: 1, or √d as Vaswani et al. have it."),
                    fields::number("dropout", 0.1, fields::kDropout, "Dropout probability after the position has been added.")};
    b.parameterCount = [ties](const BlockContext& where, const Json&) {
        return where.dims.d * (ties.sourceIsTarget ? where.dims.vocabTgt : where.dims.vocabSrc + where.dims.vocabTgt);
    };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    if (ties.sourceIsTarget) {
        b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
            const auto [source, target] = std::pair(where.dims.vocabSrc, where.dims.vocabTgt);
            if (source == 0 || target == 0 || source == target) return std::nullopt;
            return Problem{"source",
                           "one table cannot serve vocabularies of " + std::to_string(source) + " and " +
                               std::to_string(target) + " words",
                           "train one tokenizer for both sides (data.tokenizer.shared), or use learned or tied_out"};
        };
    }
    return b;
}

#else

namespace {

class TableEmbedding final : public Embedding {
public:
    TableEmbedding(const BuildContext& c, EmbeddingTies ties)
        : path_(c.scope.path()),
          scale_(c.params.at("scale") == "sqrt_d" ? std::sqrt(static_cast<double>(c.where.dims.d)) : 1),
          dropout_(c.params.at("dropout").get<double>()),
          tiesOutput_(ties.targetIsOutput) {
        const Dims& dims = c.where.dims;
        // A table that is the head's weight too starts small enough for the first logits.
        const Initial own{Initial::Kind::Embedding, 1};
        const Initial tied{Initial::Kind::Embedding, tiesOutput_ ? 1 / std::sqrt(static_cast<double>(dims.d)) : 1};
        if (ties.sourceIsTarget) {
            source_ = target_ = (c.scope / "shared").declare("weight", {dims.vocabTgt, dims.d}, tied);
        } else {
            source_ = (c.scope / "source").declare("weight", {dims.vocabSrc, dims.d}, own);
            target_ = (c.scope / "target").declare("weight", {dims.vocabTgt, dims.d}, tied);
        }
    }

    at::Tensor look(Side side, const at::Tensor& ids_BS) const override {
        const at::Tensor x_BSD = at::embedding(table(side), ids_BS);
        return scale_ == 1 ? x_BSD : x_BSD * scale_;
    }

    at::Tensor drop(Side side, const at::Tensor& x_BSD, const Forward& f) const override {
        return f.dropout(x_BSD, dropout_, path_ + (side == Side::Source ? ".source" : ".target"));
    }

    const at::Tensor& table(Side side) const override { return side == Side::Source ? source_ : target_; }
    bool tiesOutput() const override { return tiesOutput_; }

private:
    std::string path_;
    double scale_, dropout_;
    bool tiesOutput_;
    at::Tensor source_, target_;
};

}  // namespace

std::unique_ptr<Block> makeEmbedding(const BuildContext& context, EmbeddingTies ties) {
    return std::make_unique<TableEmbedding>(context, ties);
}

#endif

}  // namespace heddle
