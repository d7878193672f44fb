// SPDX-License-Identifier: Apache-2.0
// Attention on attention (Huang et al. 2019): an information vector times an attention gate, both of the attention's result x
// and of the query's vector u:
//   y = (W_x x + W_u u + b) ⊙ σ(V_x x + V_u u + c)    x, u, y [B,S,D]; W, V [D,D]; b, c [D]
// u is the sublayer's input, after the norm in pre-norm; without query the terms of u are left out, as in x-transformers. With
// value heads_noproj x is the merged heads, and the unit stands in place of the output projection, as there.
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

struct AoaOptions {
    bool query = true, bias = true;
};

const OptionFields<AoaOptions>& aoaOptions() {
    static const auto kFields =
        OptionFields<AoaOptions>()
            .add(&AoaOptions::query,
                 fields::flag("query", true, "Whether information and gate read the sublayer's input, too."))
            .add(&AoaOptions::bias, fields::flag("bias", true, "Whether information and gate have a bias."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

namespace {

/// Number of matrices [D,D].
std::int64_t aoaMatrices(const AoaOptions& o) { return o.query ? 4 : 2; }

}  // namespace

BlockDescriptor describeAoaAdjuster() {
    BlockDescriptor b;
    b.title = "Attention on attention";
    b.summary =
        "Attention on attention, AoA (Huang et al. 2019): a linear map of the attention's output and the query, times a "
        "sigmoid gate of both.";
    b.formulaOf = aoaOptions().reading([](const AoaOptions& o) -> std::string {
        return "y = (W_x x" + partIf(o.query, " + W_u u") + partIf(o.bias, " + b") + ") ⊙ σ(V_x x" +
               partIf(o.query, " + V_u u") + partIf(o.bias, " + c") + ")";
    });
    b.shapes = "x, u, y [B,S,D]; W, V [D,D]; b, c [D]";
    b.reference = "Huang et al. 2019 (Attention on Attention for Image Captioning, arXiv 1908.06954)";
    b.reading =
        "Reading. The query is the sublayer's input, before any projection. In x-transformers the unit takes the place of the "
        "output projection and reads no query: use value heads_noproj and query false for that.";
    b.parameters = aoaOptions().schema();
    b.parameterCount = aoaOptions().on([](const BlockContext& where, const AoaOptions& o) {
        return aoaMatrices(o) * where.dims.d * where.dims.d + (o.bias ? 2 * where.dims.d : 0);
    });
    b.flopsPerToken = aoaOptions().on([](const BlockContext& where, const AoaOptions& o) {
        return 2.0 * static_cast<double>(aoaMatrices(o) * where.dims.d * where.dims.d);
    });
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (!where.sublayer || !isFeedForward(*where.sublayer)) return std::nullopt;
        return Problem{"kind", "a feed-forward sublayer has no attention",
                       "put attention on attention on an attention sublayer"};
    };
    b.exposures = {
        {tap::kGate, "gate of attention on attention", Exposure::Quantity::UnitGate, "BSD", 0, 1, true, false, true}};
    return b;
}

#else

namespace {

class AoaAdjuster final : public Adjuster {
public:
    AoaAdjuster(const BuildContext& c, const AoaOptions& o) : path_(c.scope.path()), readsQuery_(o.query) {
        const auto map = [&](const char* name, bool hasBias) {
            return declareLinear(c.scope / name, c.where.dims.d, c.where.dims.d, WithBias{hasBias});
        };
        information_ = map("information", o.bias);
        gate_ = map("gate", o.bias);
        if (!readsQuery_) return;
        informationOfQuery_ = map("information_query", false);
        gateOfQuery_ = map("gate_query", false);
    }

    at::Tensor adjust(const at::Tensor& x_BSD, const at::Tensor& u_BSD, const Forward& f) const override {
        const auto of = [&](const Linear& ofResult, const Linear& ofQuery) {
            return readsQuery_ ? ofResult(x_BSD) + ofQuery(u_BSD) : ofResult(x_BSD);
        };
        const at::Tensor g_BSD = f.pass(path_, tap::kGate, at::sigmoid(of(gate_, gateOfQuery_)));
        return of(information_, informationOfQuery_) * g_BSD;
    }

private:
    std::string path_;
    bool readsQuery_;
    Linear information_, gate_, informationOfQuery_, gateOfQuery_;
};

}  // namespace

std::unique_ptr<Block> makeAoaAdjuster(const BuildContext& context) {
    return std::make_unique<AoaAdjuster>(context, aoaOptions().read(context.params));
}

#endif

}  // namespace heddle
