// SPDX-License-Identifier: Apache-2.0
// Relative biases of T5 (Raffel et al. 2020, section 2.1): a learned number for the head and the bucket of the distance,
//   z_ij = s_ij + b_h[bucket(i − j)]    s, z [B,H,Q,K]; b [N,H], N buckets
// bucket(n) of n ≥ 0 keys back, with M buckets: n below M/2, else M/2 + ⌊log(2n/M) / log(2L/M) · M/2⌋, at most M − 1, as the
// authors' code computes it (mesh_tensorflow, transformer_layers.py): all distances from L = max_distance on share the last
// bucket. past: M = N, and keys after the query are in bucket 0; both: M = N/2, and keys after the query have the other half.
#include "engine/blocks/relative/relative.h"
#ifdef HEDDLE_MODULES
#include "engine/kernels/embedding.h"
#endif

namespace heddle {

enum class BucketSide { Both, Past };
template <>
struct ChoiceWords<BucketSide> {
    static constexpr ChoiceWord<BucketSide> kAll[] = {{"both", BucketSide::Both}, {"past", BucketSide::Past}};
};

enum class BiasScope { Layer, Stack };
template <>
struct ChoiceWords<BiasScope> {
    static constexpr ChoiceWord<BiasScope> kAll[] = {{"layer", BiasScope::Layer}, {"stack", BiasScope::Stack}};
};

namespace {

struct T5Options {
    std::int64_t buckets = 0, maxDistance = 0;
    std::optional<BucketSide> side;
    BiasScope scope{};
};

const OptionFields<T5Options>& t5Options() {
    static const auto kFields =
        OptionFields<T5Options>()
            .add(&T5Options::buckets, fields::integer("buckets", 32, {4, 256}, "Number N of buckets."))
            .add(&T5Options::maxDistance,
                 fields::integer("max_distance", 128, {2, 1 << 20}, "Distance from which on all keys share the last bucket."))
            .add(&T5Options::side,
                 fields::derivable(fields::choice<BucketSide>(
                     "side",
                     "Buckets for the keys on both sides of the query or for those before it; null: past in a decoder, both "
                     "in an encoder.")))
            .add(&T5Options::scope,
                 fields::choice<BiasScope>(
                     "scope",
                     "Whether every layer has its own table, or the layers of a stack share that of the first, as in T5."));
    return kFields;
}

BucketSide sideOf(const BlockContext& where, const T5Options& o) {
    return o.side.value_or(where.stack == StackName::Decoder ? BucketSide::Past : BucketSide::Both);
}

/// M: buckets of one side.
std::int64_t bucketsOfSide(const BlockContext& where, const T5Options& o) {
    return sideOf(where, o) == BucketSide::Both ? o.buckets / 2 : o.buckets;
}

/// Whether the first layer of the stack declares the table.
bool isInFirstLayer(const BlockContext& where, const T5Options& o) {
    return o.scope == BiasScope::Stack && !where.firstOfStack.empty();
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeT5Relative() {
    BlockDescriptor b;
    b.title = "Relative biases in buckets";
    b.summary =
        "Relative position biases (T5, Raffel et al. 2020): a learned number for every head and every bucket of distances is "
        "added to the scores.";
    b.formulaOf = t5Options().reading([](const T5Options& o) -> std::string {
        const std::string z = "z_ij = s_ij + b_h[bucket(";
        if (!o.side) return z + "i − j)]";
        return z + (*o.side == BucketSide::Past ? "max(i − j, 0))]" : "|i − j|, sign(i − j))]");
    });
    b.shapes = "s, z [B,H,Q,K]; b [N,H], N buckets";
    b.reference =
        "Raffel et al. 2020 (T5, arXiv 1910.10683), section 2.1, and the authors' code (mesh_tensorflow, "
        "transformer_layers.py); use with position none";
    b.reading =
        "Reading. T5 divides its scores by 1, not by √d_k: scorer dot with `scale` one. In its decoders keys after the query, "
        "which the mask hides, are in bucket 0.";
    b.parameters = t5Options().schema();
    b.parameterCount = t5Options().on([](const BlockContext& where, const T5Options& o) {
        return isInFirstLayer(where, o) ? 0 : o.buckets * where.dims.heads;
    });
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    b.check = t5Options().on([](const BlockContext& where, const T5Options& o) -> std::optional<Problem> {
        if (auto problem = needsDistance(where)) return problem;
        const std::int64_t exact = bucketsOfSide(where, o) / 2;
        if (o.maxDistance > exact) return std::nullopt;
        return Problem{"max_distance", "distances below " + std::to_string(exact) + " have buckets of their own",
                       "choose a max_distance above " + std::to_string(exact) + ", or fewer buckets"};
    });
    b.changesScores = true;
    b.fits = t5Options().on([](const Neighbours& beside, const T5Options& o) -> std::optional<Problem> {
        if (beside.sees == VisibleKeys::All || o.side != BucketSide::Both) return std::nullopt;
        return Problem{"side", beside.seesBy + " hides the keys after the query, so half of the buckets would have no effect",
                       "use past"};
    });
    return b;
}

#else

namespace {

class T5Position final : public RelativePosition {
public:
    T5Position(const BuildContext& c, const T5Options& o)
        : ofSide_(bucketsOfSide(c.where, o)),
          maxDistance_(o.maxDistance),
          isBoth_(sideOf(c.where, o) == BucketSide::Both),
          bucket_L_(c.scope.declareBuffer(bucketsByDistance(ofSide_, maxDistance_))) {
        const Initial start{Initial::Kind::Embedding, 1 / std::sqrt(static_cast<double>(c.where.dims.d))};
        table_NH_ = isInFirstLayer(c.where, o) ? c.scope.find(c.where.firstOfStack + ".weight")
                                               : c.scope.declare("weight", {o.buckets, c.where.dims.heads}, start);
    }

    bool changesScores() const override { return true; }

    at::Tensor biased(const at::Tensor& score_BHQK, const StepPosition& at) const override {
        const at::TensorOptions whole = at::TensorOptions(at::kLong).device(score_BHQK.device());
        const at::Tensor query_Q = rowNumbers(at, score_BHQK.size(2), whole);
        const at::Tensor back_QK = query_Q.unsqueeze(1) - at::arange(score_BHQK.size(3), whole);
        const at::Tensor distance_QK = (isBoth_ ? back_QK.abs() : back_QK.clamp_min(0)).clamp_max(maxDistance_);
        at::Tensor bucket_QK = bucket_L_.index_select(0, distance_QK.flatten()).to(at::kLong).view(distance_QK.sizes());
        if (isBoth_) bucket_QK = bucket_QK + back_QK.lt(0) * ofSide_;
        return score_BHQK + embeddedRows(table_NH_, bucket_QK).movedim(-1, 0);
    }

private:
    /// The bucket of every distance up to max_distance. The small term keeps a logarithm that is a whole number from falling
    /// below it.
    static at::Tensor bucketsByDistance(std::int64_t buckets, std::int64_t maxDistance) {
        const std::int64_t exact = buckets / 2;
        const at::Tensor bucket_L = at::arange(maxDistance + 1, at::kDouble);
        const at::Tensor n = bucket_L / static_cast<double>(exact);
        const double whole = std::log(static_cast<double>(maxDistance) / static_cast<double>(exact));
        const at::Tensor far = (at::log(n.clamp_min(1)) / whole * static_cast<double>(buckets - exact) + 1e-9).floor() + exact;
        return at::where(n.lt(1), bucket_L, far.clamp_max(buckets - 1));
    }

    std::int64_t ofSide_, maxDistance_;
    bool isBoth_;
    at::Tensor bucket_L_;  // whole numbers below 256, which every type represents
    at::Tensor table_NH_;
};

}  // namespace

std::unique_ptr<Block> makeT5Relative(const BuildContext& context) {
    return std::make_unique<T5Position>(context, t5Options().read(context.params));
}

#endif

}  // namespace heddle
