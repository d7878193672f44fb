// SPDX-License-Identifier: Apache-2.0
// Initialisation of BERT and GPT-2: weights and tables N(0, std²), biases 0.
#include "engine/blocks/init/branch_ends.h"

namespace heddle {

namespace {

struct NormalInitOptions : BranchEndOptions {
    double deviation = 0;
};

const OptionFields<NormalInitOptions>& normalInitOptions() {
    static const auto kFields = OptionFields<NormalInitOptions>()
                                    .add(&NormalInitOptions::deviation,
                                         fields::number("std", 0.02, {0, 10}, "Standard deviation of weights and embeddings."))
                                    .add(branchEndOptions());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeNormalInit() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Normal";
    b.summary =
        "Normal initialisation (as in BERT, Devlin et al. 2019): weights and embeddings normal with mean 0 and one standard "
        "deviation, biases zero.";
    b.formulaOf = withBranchEnds("W ~ N(0, std²), b = 0");
    b.shapes = "W [out,in]; tables [V,D]";
    b.reference = "Devlin et al. 2019 (arXiv 1810.04805), initializer_range";
    b.parameters = normalInitOptions().schema();
    return b;
}

#else

namespace {

class NormalInit final : public BranchInit {
public:
    explicit NormalInit(const NormalInitOptions& o) : BranchInit(o), std_(o.deviation) {}

    at::Tensor matrix(const RandomKey& key, at::IntArrayRef sizes) const override { return normal(key, sizes, 0, std_); }
    double matrixDeviation(at::IntArrayRef) const override { return std_; }
    at::Tensor vector(const RandomKey&, at::IntArrayRef sizes, std::int64_t) const override {
        return at::zeros(sizes, at::kDouble);
    }

private:
    double std_;
};

}  // namespace

std::unique_ptr<Block> makeNormalInit(const BuildContext& context) {
    return std::make_unique<NormalInit>(normalInitOptions().read(context.params));
}

#endif

}  // namespace heddle
