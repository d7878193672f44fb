// SPDX-License-Identifier: Apache-2.0
// Initialisation of Glorot and Bengio 2010, eq. 16, for all parameters with two axes, tables included; biases U(±1/√fan_in), as
// in the public code base of variants.md 1.6: W ~ U(±√(6 / (fan_in + fan_out))).
// tables = width: embeddings N(0, 1/D), as fairseq starts them, so that an embedding times √D is as long as a position.
#include "engine/blocks/init/branch_ends.h"

namespace heddle {

enum class TableStart { Xavier, Width };
template <>
struct ChoiceWords<TableStart> {
    static constexpr ChoiceWord<TableStart> kAll[] = {{"xavier", TableStart::Xavier}, {"width", TableStart::Width}};
};

namespace {

struct XavierOptions : BranchEndOptions {
    TableStart tables{};
};

const OptionFields<XavierOptions>& xavierOptions() {
    static const auto kFields =
        OptionFields<XavierOptions>()
            .add(branchEndOptions())
            .add(&XavierOptions::tables,
                 fields::choice<TableStart>("tables",
                                            "Start of embeddings: as the weights (xavier), whose values are small where the "
                                            "vocabulary is large, or normal with variance 1/d (width), as in fairseq."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeXavierUniformInit() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Xavier uniform";
    b.summary =
        "Xavier uniform, or Glorot initialisation (Glorot and Bengio 2010): weights and embeddings uniform with a bound set by "
        "fan-in and fan-out; biases as the defaults of PyTorch.";
    b.formulaOf = xavierOptions().reading([](const XavierOptions& o) {
        return "W ~ U(±√(6 / (fan_in + fan_out)))" + partIf(o.tables == TableStart::Width, "; tables ~ N(0, 1/d)") +
               branchEndPart(o);
    });
    b.shapes = "W [out,in]; tables [V,D]";
    b.reference = "Glorot and Bengio 2010 (AISTATS), eq. 16";
    b.parameters = xavierOptions().schema();
    return b;
}

#else

namespace {

class XavierUniformInit final : public BranchInit {
public:
    explicit XavierUniformInit(const XavierOptions& o) : BranchInit(o), tables_(o.tables) {}

    at::Tensor matrix(const RandomKey& key, at::IntArrayRef sizes) const override {
        const double bound = std::sqrt(6.0 / static_cast<double>(sizes[0] + sizes[1]));
        return uniform(key, sizes, -bound, bound);
    }
    double matrixDeviation(at::IntArrayRef sizes) const override {
        return std::sqrt(2.0 / static_cast<double>(sizes[0] + sizes[1]));
    }
    at::Tensor table(const RandomKey& key, at::IntArrayRef sizes, double deviation) const override {
        return tables_ == TableStart::Width ? normal(key, sizes, 0, tableDeviation(sizes, deviation)) : matrix(key, sizes);
    }
    double tableDeviation(at::IntArrayRef sizes, double) const override {
        return tables_ == TableStart::Width ? 1 / std::sqrt(static_cast<double>(sizes[1])) : matrixDeviation(sizes);
    }

private:
    TableStart tables_;
};

}  // namespace

std::unique_ptr<Block> makeXavierUniformInit(const BuildContext& context) {
    return std::make_unique<XavierUniformInit>(xavierOptions().read(context.params));
}

#endif

}  // namespace heddle
