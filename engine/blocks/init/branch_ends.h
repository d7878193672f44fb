// SPDX-License-Identifier: Apache-2.0
// What the inits share. Matrices: uniform by fan-in and fan-out. Maps W_out x + b_out that end the branch of a sublayer
// (declareBranchEnd()): if they start at 0, the sublayer adds nothing at first (zero_init_branch_output of x-transformers).
#pragma once

#include "engine/blocks/block_file.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace heddle {

enum class BranchEnds { Init, Zero };
template <>
struct ChoiceWords<BranchEnds> {
    static constexpr ChoiceWord<BranchEnds> kAll[] = {{"init", BranchEnds::Init}, {"zero", BranchEnds::Zero}};
};

struct BranchEndOptions {
    BranchEnds branchOutputs{};
};

inline const OptionFields<BranchEndOptions>& branchEndOptions() {
    static const auto kFields = OptionFields<BranchEndOptions>().add(
        &BranchEndOptions::branchOutputs,
        fields::choice<BranchEnds>(
            "branch_outputs",
            "Start of the output projections of attention (values heads_proj and grouped) and of the last maps of feed-forward "
            "networks: as all others (init), or 0 with their biases, so that these sublayers add nothing at first (zero)."));
    return kFields;
}

#ifndef HEDDLE_MODULES

/// The formula of an init with its option `branch_outputs`, for BlockDescriptor::formulaOf.
inline std::function<std::string(const Json&)> withBranchEnds(std::string formula) {
    return branchEndOptions().reading([formula = std::move(formula)](const BranchEndOptions& o) {
        return formula + partIf(o.branchOutputs == BranchEnds::Zero, "; W_out, b_out = 0");
    });
}

#else

/// An init with the option `branch_outputs`.
class BranchInit : public Init {
public:
    explicit BranchInit(const BranchEndOptions& o) : zeroes_(o.branchOutputs == BranchEnds::Zero) {}
    bool zeroesBranchEnds() const final { return zeroes_; }

private:
    bool zeroes_;
};

/// An init whose matrices [out,in] are uniform within ±√(6 / n), so that their variance is 2 / n.
class ScaledUniformInit : public BranchInit {
public:
    using BranchInit::BranchInit;

    at::Tensor matrix(const RandomKey& key, at::IntArrayRef sizes) const final {
        const double bound = std::sqrt(6.0 / static_cast<double>(fans(sizes)));
        return uniform(key, sizes, -bound, bound);
    }
    double matrixDeviation(at::IntArrayRef sizes) const final { return std::sqrt(2.0 / static_cast<double>(fans(sizes))); }

private:
    virtual std::int64_t fans(at::IntArrayRef sizes) const = 0;  ///< n
};

#endif

}  // namespace heddle
