// SPDX-License-Identifier: Apache-2.0
// Bilinear scores of the StarSaber paper, eq. 2–4 (variants.md 2.1), one head:
//   s = (M q + b) · k / √D    q [B,Q,D], k [B,K,D]; M [D,D] (the paper's Wᵀ); s [B,1,Q,K]
// side = key: s = q · (M k + b) / √D, where b has no effect on the softmax (table 2.6 S3). double_exp: the softmax reads
// exp(s), as printed in the paper (S1).
#include "engine/blocks/star_matrix.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#include "engine/blocks/incremental.h"
#include "engine/kernels/reduced.h"
#endif

namespace heddle {

enum class BilinearSide { Query, Key };
template <>
struct ChoiceWords<BilinearSide> {
    static constexpr ChoiceWord<BilinearSide> kAll[] = {{"query", BilinearSide::Query}, {"key", BilinearSide::Key}};
};

namespace {

struct BilinearOptions : StarMatrixOptions {
    BilinearSide side{};
    bool doubleExp = false;
};

const OptionFields<BilinearOptions>& bilinearOptions() {
    static const auto kFields =
        OptionFields<BilinearOptions>()
            .add(starMatrixOptions())
            .add(&BilinearOptions::side,
                 fields::choice<BilinearSide>("side", "Whether M and its bias are applied to the query or to the key."))
            .add(&BilinearOptions::doubleExp,
                 fields::flag("double_exp", false,
                              "Whether the softmax is applied to exp(s), as the paper's formula says, instead of s."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeBilinearScorer() {
    BlockDescriptor b = describeStarMatrices(1);
    b.title = "Bilinear form";
    b.summary =
        "Bilinear attention (Luong et al. 2015): scores a query and a key with one learned matrix between them, in a single "
        "head.";
    b.formulaOf = bilinearOptions().reading([](const BilinearOptions& o) -> std::string {
        const std::string shift = partIf(o.bias, " + b");
        const std::string s = o.side == BilinearSide::Key ? "q · (M k" + shift + ") / √d" : "(M q" + shift + ") · k / √d";
        return o.doubleExp ? "s = exp(" + s + ")" : "s = " + s;
    });
    b.shapes = "q [B,Q,D], k [B,K,D]; M [D,D]; s [B,1,Q,K]";
    b.reference =
        "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 2–4; Luong et al. 2015 (arXiv 1508.04025), "
        "section 3.1";
    b.parameters = bilinearOptions().schema();
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return starMatrixFlops(1, where) + 2.0 * static_cast<double>(where.dims.d * where.sequenceLength());
    };
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.dims.heads == 1) return std::nullopt;
        return Problem{"", "a bilinear scorer has a single head, but dims.heads is " + std::to_string(where.dims.heads),
                       "set dims.heads to 1, or use dot"};
    };
    b.exposures = {
        {tap::kScore, "attention score before the mask", Exposure::Quantity::Score, "BHQK", -10, 10, false, true, true}};
    return b;
}

#else

namespace {

class BilinearScorer final : public Scorer, public IncrementalScorer, public OneHeadProduct {
public:
    BilinearScorer(const BuildContext& c, const BilinearOptions& o)
        : path_(c.scope.path()),
          m_(c.scope / "m", c, o),
          scale_(1 / std::sqrt(static_cast<double>(c.where.dims.base().d)) / c.where.dims.widthRatio()),
          onKey_(o.side == BilinearSide::Key),
          doubleExp_(o.doubleExp) {}

    at::Tensor score(const LinearInput& q, const LinearInput& k, const Forward& f) const override {
        return scoreOf(queries(q).unsqueeze(1), keys(k).unsqueeze(1), f);
    }

    std::vector<const Linear*> queryMaps() const override { return onKey_ ? std::vector<const Linear*>{} : m_.maps(); }
    std::vector<const Linear*> keyMaps() const override { return onKey_ ? m_.maps() : std::vector<const Linear*>{}; }

    at::Tensor keep(const at::Tensor& k_BKD, const StepPosition&) const override { return keys(k_BKD).unsqueeze(1); }

    at::Tensor scoreCached(const at::Tensor& q_BQD, const StepPosition&, const at::Tensor& k_B1KD,
                           const Forward& f) const override {
        return scoreOf(queries(q_BQD).unsqueeze(1), k_B1KD, f);
    }

    std::optional<Product> product(const LinearInput& q, const LinearInput& k) const override {
        if (doubleExp_) return std::nullopt;
        return Product{queries(q).unsqueeze(1), keys(k).unsqueeze(1), scale_};
    }

    std::optional<Factors> factors(const LinearInput& q, const LinearInput& k) const override {
        if (doubleExp_) return std::nullopt;
        return Factors{queries(q), keys(k), scale_};
    }

    bool isWatched(const Forward& f) const override { return f.wants(path_, tap::kScore); }
    bool isReplaced(const Forward& f) const override { return f.replaces(path_, tap::kScore); }

private:
    at::Tensor queries(const LinearInput& q) const { return onKey_ ? asFactor(q.x()) : m_(q); }  ///< [B,Q,D]
    at::Tensor keys(const LinearInput& k) const { return onKey_ ? m_(k) : asFactor(k.x()); }     ///< [B,K,D]
    at::Tensor scoreOf(const at::Tensor& q_B1QD, const at::Tensor& k_B1KD, const Forward& f) const {
        const at::Tensor s_B1QK =
            at::matmul(q_B1QD, k_B1KD.transpose(-2, -1)) * scale_;  // scaled here, since s is smaller than the queries
        return f.pass(path_, tap::kScore, doubleExp_ ? s_B1QK.exp() : s_B1QK);
    }

    std::string path_;
    StarMatrix m_;
    double scale_;
    bool onKey_, doubleExp_;
};

}  // namespace

std::unique_ptr<Block> makeBilinearScorer(const BuildContext& context) {
    return std::make_unique<BilinearScorer>(context, bilinearOptions().read(context.params));
}

#endif

}  // namespace heddle
