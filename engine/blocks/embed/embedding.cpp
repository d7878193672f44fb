// SPDX-License-Identifier: Apache-2.0
// Token embedding (Vaswani et al. 2017, section 3.4): x = c · E[id] + T[type], then the position, then norm and dropout.
//   ids, types [B,S]; E [V,D], one table per side or a shared one; T [types,D] (BERT, Devlin et al. 2019, figure 2), omitted if
//   dims.token_types is 0; x [B,S,D]; c = 1 (variants.md 1.6) or √D
#include "engine/blocks/embed/embedding.h"
#ifdef HEDDLE_MODULES
#include "engine/base/error.h"
#include "engine/blocks/fusing.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/embedding.h"
#endif

namespace heddle {

const OptionFields<EmbeddingOptions>& embeddingOptions() {
    static const auto kFields =
        OptionFields<EmbeddingOptions>()
            .add(&EmbeddingOptions::scale,
                 fields::choice<EmbeddingScale>("scale", "Scale c of the embeddings: 1, or √d as in Vaswani et al. 2017."))
            .add(&EmbeddingOptions::norm,
                 fields::choice<EmbeddingNorm>("norm", "Layer normalisation after the position encoding is added, as in BERT."))
            .add(&EmbeddingOptions::eps,
                 fields::number("eps", 1e-5, {1e-15, 1}, "ε, added to the variance in that layer normalisation."))
            .add(&EmbeddingOptions::dropout,
                 fields::number("dropout", 0.1, fields::kDropout, "Dropout probability after the position encoding is added."))
            .add(&EmbeddingOptions::normBias,
                 fields::flag("norm_bias", true, "Whether that layer normalisation has a shift; ModernBERT's has none."));
    return kFields;
}

#ifndef HEDDLE_MODULES

BlockDescriptor describeEmbedding(EmbeddingTies ties) {
    BlockDescriptor b;
    b.formulaOf = embeddingOptions().reading([](const EmbeddingOptions& o) -> std::string {
        const std::string x = o.scale == EmbeddingScale::SqrtD ? "√d · E[id]" : "E[id]";
        return o.norm == EmbeddingNorm::LayerNorm ? "x = LN(" + x + " + position)" : "x = " + x;
    });
    b.shapes = "ids, types [B,S]; E [V,D]; T [types,D]; x [B,S,D]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762), section 3.4; Press and Wolf 2017 (arXiv 1608.05859) for tying";
    b.parameters = embeddingOptions().schema();
    b.parameterCount = embeddingOptions().on([ties](const BlockContext& where, const EmbeddingOptions& o) {
        const bool oneTable = ties.sourceIsTarget || where.topology != Topology::EncoderDecoder;
        std::int64_t words = oneTable ? where.dims.vocabTgt : where.dims.vocabSrc + where.dims.vocabTgt;
        if (ties.isFrozen) words = 0;
        const std::int64_t vectorsOfNorm = o.norm == EmbeddingNorm::LayerNorm ? (o.normBias ? 2 : 1) : 0;
        return where.dims.d * (words + where.dims.tokenTypes + vectorsOfNorm);
    });
    b.usesVocabulary = !ties.isFrozen;
    b.tiesOutput = ties.targetIsOutput;
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    if (ties.sourceIsTarget) {
        b.check = [ties](const BlockContext& where, const Json&) -> std::optional<Problem> {
            if (where.topology != Topology::EncoderDecoder)
                return Problem{"source", "topology \"" + wordOf(where.topology) + "\" has one table already",
                               ties.targetIsOutput ? "use tied_out" : "use learned"};
            const auto [source, target] = std::pair(where.dims.vocabSrc, where.dims.vocabTgt);
            if (source == 0 || target == 0 || source == target) return std::nullopt;
            return Problem{"source",
                           "one table cannot be shared by vocabularies of " + std::to_string(source) + " and " +
                               std::to_string(target) + " words",
                           "train one tokenizer for both sides (data.tokenizer.shared), or use learned or tied_out"};
        };
    }
    return b;
}

#else

namespace {

class TableEmbedding final : public Embedding, public PlainLookUp {
public:
    TableEmbedding(const BuildContext& c, const EmbeddingOptions& o, EmbeddingTies ties)
        : path_(c.scope.path()),
          scale_(o.scale == EmbeddingScale::SqrtD ? std::sqrt(static_cast<double>(c.where.dims.base().d)) : 1),
          dropout_(o.dropout),
          tiesOutput_(ties.targetIsOutput) {
        const Dims& dims = c.where.dims;
        // A table that is also the head's weight starts small, to keep the initial logits small.
        const Initial own{Initial::Kind::Embedding, 1};
        const Initial tied{Initial::Kind::Embedding, tiesOutput_ ? 1 / std::sqrt(static_cast<double>(dims.d)) : 1};
        const auto table = [&](const char* name, std::int64_t words, const Initial& initial) {
            const ParameterScope scope = c.scope / name;
            if (!ties.isFrozen) return scope.declare("weight", {words, dims.d}, initial);
            if (words <= 0) return at::Tensor();
            // A table declared without a size is filled from a file (ParameterStore::frozen).
            const bool hasSize = o.vectors == FrozenVectors::Random || scope.isOutline();
            return scope.declareFrozen("weight", {hasSize ? words : 0, dims.d}, initial);
        };
        if (ties.sourceIsTarget || c.where.topology != Topology::EncoderDecoder) {
            source_ = target_ = table("shared", dims.vocabTgt, tied);
        } else {
            source_ = table("source", dims.vocabSrc, own);
            target_ = table("target", dims.vocabTgt, tied);
        }
        if (dims.tokenTypes > 0) types_ = (c.scope / "types").declare("weight", {dims.tokenTypes, dims.d}, own);
        if (o.norm == EmbeddingNorm::LayerNorm) norm_ = declareLayerNorm(c.scope / "norm", dims.d, o.eps, WithBias{o.normBias});
    }

    at::Tensor embed(Side side, const Input& in) const override {
        if (!table(side).defined() || table(side).size(0) == 0)
            throwInvalid("the frozen embedding has no word vectors", path_,
                         "set data.vectors to a file, or embed.vectors to \"random\" with known vocabulary sizes");
        at::Tensor x_BSD = embeddedRows(table(side), in.ids_BS, in.order_N);
        if (scale_ != 1) x_BSD = x_BSD * scale_;
        if (!types_.defined()) return x_BSD;
        return x_BSD + (in.types_BS.defined() ? embeddedRows(types_, in.types_BS) : types_.select(0, 0));
    }

    at::Tensor finish(Side side, const at::Tensor& x_BSD, const Forward& f) const override {
        const at::Tensor normed_BSD = norm_ ? (*norm_)(x_BSD) : x_BSD;
        return f.training && dropout_ > 0 ? dropoutWithCopy(keyOf(side, f), dropout_, normed_BSD) : normed_BSD;
    }

    std::optional<Rows> rows(Side side, const Forward& f) const override {
        const at::Tensor& table_VD = table(side);
        if (types_.defined() || norm_ || !table_VD.defined() || table_VD.size(0) == 0) return {};
        return Rows{table_VD, scale_, {keyOf(side, f), f.training ? dropout_ : 0}};
    }

    const at::Tensor& table(Side side) const override { return side == Side::Source ? source_ : target_; }
    bool tiesOutput() const override { return tiesOutput_; }

private:
    RandomKey keyOf(Side side, const Forward& f) const { return f.key(path_ + (side == Side::Source ? ".source" : ".target")); }

    std::string path_;
    double scale_, dropout_;
    bool tiesOutput_;
    at::Tensor source_, target_, types_;  // [V,D], [V,D], [types,D]; undefined: no vectors, no token types
    std::optional<LayerNormMap> norm_;
};

}  // namespace

std::unique_ptr<Block> makeEmbedding(const BuildContext& context, const EmbeddingOptions& o, EmbeddingTies ties) {
    return std::make_unique<TableEmbedding>(context, o, ties);
}

#endif

}  // namespace heddle
