// SPDX-License-Identifier: Apache-2.0
// Heads with few outputs (variants.md S10, 5.1): z = W drop(p) + b
//   h [B,S,W] the stream; p = h at every position, or one vector [B,W] for the sequence: mean, max, first or last over the
//   positions that are not padding, or tanh(W_p h₀ + b_p) (BERT's pooler, Devlin et al. 2019); W [C,W]; z [B,S,C] or [B,C]
#include "engine/blocks/head/output_head.h"

namespace heddle {

enum class Pool { Mean, Max, First, Last, ClsTanh };
template <>
struct ChoiceWords<Pool> {
    static constexpr ChoiceWord<Pool> kAll[] = {
        {"mean", Pool::Mean}, {"max", Pool::Max}, {"first", Pool::First}, {"last", Pool::Last}, {"cls_tanh", Pool::ClsTanh}};
};

namespace {

struct OutputHeadOptions {
    std::optional<Pool> pool;  ///< none: the head reads every position
    bool bias = true;
    double dropout = 0;
};

const OptionFields<OutputHeadOptions>& outputHeadOptions(OutputForm form) {
    const auto withMap = [](OptionFields<OutputHeadOptions> pooling) {
        return std::move(pooling)
            .add(&OutputHeadOptions::bias, fields::flag("bias", true, "Whether there is a bias for every output."))
            .add(&OutputHeadOptions::dropout,
                 fields::number("dropout", 0.1, fields::kDropout, "Dropout probability before the last map."));
    };
    static const auto kOfPosition = withMap({});
    static const auto kOfSequence = withMap(OptionFields<OutputHeadOptions>().add(
        &OutputHeadOptions::pool,
        fields::choice<Pool>("pool",
                             "Pooling of the sequence without padding: mean, max, first or last position, "
                             "or cls_tanh (a dense layer with tanh on the first position, as in BERT).")));
    return form.reads == OutputForm::Reads::Sequence ? kOfSequence : kOfPosition;
}

std::int64_t outputsOf(OutputForm form, const BlockContext& where) {
    return form.outputs > 0 ? form.outputs : where.dims.classes;
}

}  // namespace

#ifndef HEDDLE_MODULES

namespace {

std::string pooled(Pool pool) {
    switch (pool) {
    case Pool::First: return "h_1";
    case Pool::Last: return "h_S";
    case Pool::ClsTanh: return "tanh(W_p h_1 + b_p)";
    case Pool::Mean:
    case Pool::Max: break;
    }
    return wordOf(pool) + "_s(h_s)";
}

bool hasPooler(const OutputHeadOptions& o) { return o.pool == Pool::ClsTanh; }

}  // namespace

BlockDescriptor describeOutputHead(OutputForm form) {
    BlockDescriptor b;
    const bool pools = form.reads == OutputForm::Reads::Sequence;
    b.formulaOf = outputHeadOptions(form).reading([](const OutputHeadOptions& o) -> std::string {
        return (o.pool ? "z = W " + pooled(*o.pool) : "z_s = W h_s") + partIf(o.bias, " + b");
    });
    b.shapes = pools ? "h [B,S,W]; W [C,W]; W_p [W,W]; z [B,C]" : "h [B,S,W]; W [C,W]; z [B,S,C]";
    b.classRows = {"out.weight", "out.bias"};
    const OptionFields<OutputHeadOptions>& options = outputHeadOptions(form);
    b.parameters = options.schema();
    b.parameterCount = options.on([form](const BlockContext& where, const OutputHeadOptions& o) {
        const std::int64_t width = streamWidth(where), outputs = outputsOf(form, where);
        return outputs * (width + (o.bias ? 1 : 0)) + (hasPooler(o) ? width * width + width : 0);
    });
    b.flopsPerToken = options.on([form](const BlockContext& where, const OutputHeadOptions& o) {
        const std::int64_t width = streamWidth(where);
        const std::int64_t each = width * (outputsOf(form, where) + (hasPooler(o) ? width : 0));
        // The cost per sequence is divided by its tokens.
        const std::int64_t tokens = form.reads == OutputForm::Reads::Position ? 1 : where.sequenceLength();
        return 2.0 * static_cast<double>(each) / static_cast<double>(tokens);
    });
    return b;
}

#else

namespace {

constexpr double kLowest = -1e30;  ///< below every value; finite, so that a row of padding only does not give NaN

/// Reduces a sequence to one vector.
class Pooling {
public:
    Pooling(const BuildContext& c, Pool pool) : pool_(pool) {
        const std::int64_t width = streamWidth(c.where);
        if (pool_ == Pool::ClsTanh) dense_ = declareLinear(c.scope / "pooler", width, width);
    }

    at::Tensor operator()(const at::Tensor& h_BSW, const at::Tensor& padding_BS) const {
        if (pool_ == Pool::ClsTanh) return at::tanh(dense_(h_BSW.select(1, 0)));
        if (pool_ == Pool::First) return h_BSW.select(1, 0);
        if (!padding_BS.defined()) return withoutPadding(h_BSW);
        if (pool_ == Pool::Max) return h_BSW.masked_fill(padding_BS.unsqueeze(-1), kLowest).amax(1);
        const at::Tensor keep_BS = padding_BS.logical_not();
        if (pool_ == Pool::Last) {
            const at::Tensor position_S = at::arange(h_BSW.size(1), keep_BS.options().dtype(at::kLong));
            const at::Tensor last_B = (position_S * keep_BS).amax(1);
            return h_BSW.gather(1, last_B.view({-1, 1, 1}).expand({-1, 1, h_BSW.size(2)})).squeeze(1);
        }
        const at::Tensor weight_BS1 = keep_BS.to(h_BSW.scalar_type()).unsqueeze(-1);
        return (h_BSW * weight_BS1).sum(1) / weight_BS1.sum(1).clamp_min(1);
    }

private:
    at::Tensor withoutPadding(const at::Tensor& h_BSW) const {
        if (pool_ == Pool::Max) return h_BSW.amax(1);
        return pool_ == Pool::Last ? h_BSW.select(1, -1) : h_BSW.mean(1);
    }

    Pool pool_;
    Linear dense_;
};

class OutputHead final : public Head {
public:
    OutputHead(const BuildContext& c, const OutputHeadOptions& o, OutputForm form)
        : stream_(c.scope.path() + ".dropout"), dropout_(o.dropout), scaled_(c.where.dims) {
        if (o.pool) pooling_.emplace(c, *o.pool);
        out_ = declareLinear(c.scope / "out", streamWidth(c.where), outputsOf(form, c.where), WithBias{o.bias});
    }

    at::Tensor pool(const at::Tensor& hidden_BSW, const at::Tensor& padding_BS, const Forward& f) const override {
        return f.dropout(pooling_ ? (*pooling_)(hidden_BSW, padding_BS) : hidden_BSW, dropout_, stream_);
    }

    at::Tensor logits(const at::Tensor& hidden) const override { return out_(scaled_(hidden)); }

private:
    std::string stream_;
    double dropout_;
    OutputFactor scaled_;
    std::optional<Pooling> pooling_;  // none: every position separately
    Linear out_;
};

}  // namespace

std::unique_ptr<Block> makeOutputHead(const BuildContext& context, OutputForm form) {
    return std::make_unique<OutputHead>(context, outputHeadOptions(form).read(context.params), form);
}

#endif

}  // namespace heddle
