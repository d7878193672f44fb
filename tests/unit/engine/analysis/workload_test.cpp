// SPDX-License-Identifier: Apache-2.0
// The workloads of `heddle bench train` are what the published table of the peers says they are: parameters and operations.
#include "engine/analysis/workload.h"

#include "engine/base/error.h"
#include "engine/spec/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

struct Published {
    std::string name;
    std::int64_t parameters;
    double gflop;  ///< a step
};
void PrintTo(const Published& row, std::ostream* out) { *out << row.name; }

class WorkloadTable : public testing::TestWithParam<Published> {};

TEST_P(WorkloadTable, HasTheParametersAndOperationsOfTheTable) {
    const Workload workload = findWorkload(GetParam().name, WorkloadSize::Full);
    const ResolvedVariant variant = workload.spec.variant.resolve();
    EXPECT_EQ(countCost(variant).parameters, GetParam().parameters);
    EXPECT_EQ(workload.parameters, GetParam().parameters);
    if (workload.lengths != Workload::Lengths::Full) return;
    const std::vector<std::int64_t> rows(static_cast<std::size_t>(workload.rows), workload.width);
    const bool isPair = !variant.encoder.empty() && !variant.decoder.empty();
    const std::int64_t tokens = workload.rows * workload.width;
    const std::int64_t answers = workload.spec.data.task == "classify" ? workload.rows
                                 : workload.spec.data.task == "mlm"    ? (15 * tokens + 50) / 100
                                                                       : tokens;
    const double flops = stepFlops(variant, {rows, isPair ? rows : std::vector<std::int64_t>{}}, answers);
    EXPECT_NEAR(flops / 1e9, GetParam().gflop, 0.5 + 0.0002 * GetParam().gflop);
}

INSTANTIATE_TEST_SUITE_P(Peers, WorkloadTable,
                         testing::Values(Published{"W1", 11066797, 383.9}, Published{"W1r-pad", 11066797, 0},
                                         Published{"W1r-bkt", 11066797, 0}, Published{"W2", 55205037, 2478},
                                         Published{"W2v32", 93322496, 3086}, Published{"W2t", 42490164, 1696},
                                         Published{"W2t-512", 42490164, 1966}, Published{"W3-128", 109514298, 4468},
                                         Published{"W3-512", 109514298, 4816}, Published{"W4", 124439808, 7000},
                                         Published{"W5-raw", 42490164, 1696}, Published{"W5-acc", 42490164, 1696},
                                         Published{"W5-g", 42689844, 1705}, Published{"W5-g-512", 55097652, 2585},
                                         Published{"W5s-raw", 13909300, 122}, Published{"W5s-acc", 13909300, 122},
                                         Published{"W5s-g", 14108980, 124}, Published{"W6", 13239085, 490.2},
                                         Published{"W7", 8785941, 338.2}, Published{"W8-llama", 118278912, 6740.4},
                                         Published{"W8-olmo2", 164008704, 7088.3}, Published{"W8-qwen3n", 163991808, 7088.3},
                                         Published{"W8-modernbert", 125997696, 5478.6},
                                         Published{"W8-nanogpt", 124373760, 7001.3}, Published{"W8s-llama", 6589696, 90.6},
                                         Published{"W8s-olmo2", 9148672, 95.4}, Published{"W8s-qwen3n", 9146368, 95.4},
                                         Published{"W8s-modernbert", 7057152, 73.0}, Published{"W8s-nanogpt", 6950144, 94.2}),
                         [](const auto& row) {
                             std::string name = row.param.name;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(Workload, EveryOneHasItsStatedParametersInBothSizesAndTheStepOfThePeers) {
    for (const std::string& name : workloadNames()) {
        const Workload full = findWorkload(name, WorkloadSize::Full), small = findWorkload(name, WorkloadSize::Small);
        EXPECT_EQ(countCost(full.spec.variant.resolve()).parameters, full.parameters) << name;
        EXPECT_EQ(countCost(small.spec.variant.resolve()).parameters, full.parameters) << name;
        EXPECT_LE(small.rows * small.width, full.rows * full.width) << name;
        const TrainSpec& train = full.spec.train;
        EXPECT_EQ(train.optimizer, OptimizerKind::AdamW) << name;
        EXPECT_EQ(std::vector({train.betas[0], train.betas[1], train.weightDecay, train.clip}),
                  (std::vector{0.9, 0.98, 0.01, 1.0}));
        EXPECT_EQ(train.labelSmoothing, full.spec.data.task == "translation" ? 0.1 : 0.0) << name;
    }
}

TEST(Workload, DropoutIsThatOfThePeers) {
    for (const std::string& name : workloadNames()) {
        const ResolvedVariant variant = findWorkload(name, WorkloadSize::Full).spec.variant.resolve();
        const double dropout = name.rfind("W8", 0) == 0 ? 0.0 : 0.1;  // today's baselines have none
        EXPECT_EQ(variant.globals.at("embed").params.at("dropout"), dropout) << name;
        for (const ResolvedSublayer* sublayer : sublayersOf(variant)) {
            EXPECT_EQ(sublayer->slots.at("dropout").params.at("sublayer"), dropout) << name << sublayer->path;
            EXPECT_EQ(sublayer->slots.at("dropout").params.at("attention"), 0.0) << name << sublayer->path;
            if (sublayer->name == "ffn") {
                EXPECT_EQ(sublayer->slots.at("ffn").params.at("inner_dropout"),
                          variant.topology == Topology::EncoderDecoder ? 0.1 : 0.0)
                    << name << sublayer->path;
            }
        }
    }
}

TEST(Workload, AnUnknownOneGetsASuggestion) {
    EXPECT_THAT([] { findWorkload("W5s-gg", WorkloadSize::Full); },
                Throws<Error>(AllOf(Property(&Error::code, ErrorCode::Usage),
                                    Property(&Error::next, HasSubstr("did you mean \"W5s-g\"?")))));
}

}  // namespace
}  // namespace heddle
