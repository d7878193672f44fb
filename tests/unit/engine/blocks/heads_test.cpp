// SPDX-License-Identifier: Apache-2.0
// Heads, embeddings and recurrences of encoders: what the golden cases do not cover.
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::buildTiny;
using testing_support::distance;
using testing_support::ids;
using verify::fillNormal;
using verify::normalTensor;
using verify::OneBlock;

constexpr std::int64_t kHeadD = 6;

OneBlock blockOf(const std::string& slot, const std::string& id, const Json& params = Json::object()) {
    Dims dims;
    dims.d = kHeadD;
    dims.f = 10;
    dims.classes = 3;
    return {slot, id, params, dims};
}

/// Two sequences of five positions, of which the second has three.
struct Padded {
    at::Tensor h_BSW = normalTensor({2, 5, kHeadD}, 3);
    at::Tensor padding_BS = at::tensor({0, 0, 0, 0, 0, 0, 0, 0, 1, 1}).eq(1).view({2, 5});
    at::Tensor row(std::int64_t b, std::int64_t length) const { return h_BSW[b].narrow(0, 0, length); }
};

at::Tensor pooled(const std::string& kind, const Padded& x) {
    const auto head = blockOf("head", "classify", {{"pool", kind}}).make<Head>(at::kDouble);
    fillNormal(head.store, 1, 5);
    const at::Tensor whole = head->pool(x.h_BSW[0].unsqueeze(0), {}, {});
    const at::Tensor both = head->pool(x.h_BSW, x.padding_BS, {});
    EXPECT_LT(distance(whole[0], both[0]), 1e-15) << kind << " without padding";
    return both;
}

TEST(Heads, PoolingLeavesPaddingOut) {
    const Padded x;
    const auto expectRows = [&](const char* kind, const at::Tensor& first, const at::Tensor& second) {
        const at::Tensor p_BW = pooled(kind, x);
        EXPECT_LT(distance(p_BW[0], first), 1e-15) << kind;
        EXPECT_LT(distance(p_BW[1], second), 1e-15) << kind;
    };
    expectRows("mean", x.row(0, 5).mean(0), x.row(1, 3).mean(0));
    expectRows("max", x.row(0, 5).amax(0), x.row(1, 3).amax(0));
    expectRows("first", x.h_BSW[0][0], x.h_BSW[1][0]);
    expectRows("last", x.h_BSW[0][4], x.h_BSW[1][2]);
}

TEST(Heads, ThePoolerIsADenseLayerWithTanhOnTheFirstPosition) {
    const Padded x;
    const auto head = blockOf("head", "classify", {{"pool", "cls_tanh"}}).make<Head>(at::kDouble);
    fillNormal(head.store, 1, 5);
    const at::Tensor w = head.store.find("block.pooler.weight"), b = head.store.find("block.pooler.bias");
    const at::Tensor expected = at::tanh(at::matmul(x.h_BSW.select(1, 0), w.t()) + b);
    EXPECT_LT(distance(head->pool(x.h_BSW, x.padding_BS, {}), expected), 1e-15);
}

TEST(Heads, HaveTheShapesOfTheirTasks) {
    const Padded x;
    const std::pair<const char*, std::vector<std::int64_t>> shapes[] = {
        {"classify", {2, 3}}, {"regress", {2, 1}}, {"tag", {2, 5, 3}}, {"span", {2, 5, 2}}};
    for (const auto& [id, sizes] : shapes) {
        const auto head = blockOf("head", id).make<Head>(at::kDouble);
        EXPECT_EQ(head->logits(head->pool(x.h_BSW, x.padding_BS, {})).sizes(), at::IntArrayRef(sizes)) << id;
    }
}

TEST(Heads, DropOutInTrainingAlone) {
    const Padded x;
    const auto head = blockOf("head", "tag", {{"dropout", 0.5}}).make<Head>(at::kDouble);
    const Forward training{.training = true};
    EXPECT_TRUE(at::equal(head->pool(x.h_BSW, x.padding_BS, {}), x.h_BSW));
    EXPECT_GT(distance(head->pool(x.h_BSW, x.padding_BS, training), x.h_BSW), 0);
}

class EveryRecurrence : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cells, EveryRecurrence, ::testing::Values("lstm", "gru", "rnn"));

TEST_P(EveryRecurrence, AppendedPaddingChangesNoRealPosition) {
    const auto block = blockOf("recurrence", GetParam()).make<Recurrence>(at::kDouble);
    fillNormal(block.store, 0.7, 2);
    const Padded x;
    const at::Tensor y = block->read(x.h_BSW, x.padding_BS);
    EXPECT_EQ(y.sizes(), (at::IntArrayRef{2, 5, 2 * kHeadD}));
    EXPECT_LT(distance(y[1].narrow(0, 0, 3), block->read(x.row(1, 3).unsqueeze(0), {})[0]), 1e-14);
    EXPECT_LT(distance(y[0], block->read(x.row(0, 5).unsqueeze(0), {})[0]), 1e-14);
}

TEST_P(EveryRecurrence, TheBackwardDirectionReadsTheReversedSequence) {
    const auto block = blockOf("recurrence", GetParam()).make<Recurrence>(at::kDouble);
    fillNormal(block.store, 0.7, 2);
    const at::NoGradGuard noGrad;
    for (const char* part : {"input.weight", "input.bias", "state.weight", "state.bias"})
        block.store.find(std::string("block.backward.") + part).copy_(block.store.find(std::string("block.forward.") + part));
    const at::Tensor x = normalTensor({1, 4, kHeadD}, 8);
    const at::Tensor y = block->read(x, {}), turned = block->read(x.flip(1), {});
    EXPECT_LT(distance(y.narrow(2, 0, kHeadD), turned.narrow(2, kHeadD, kHeadD).flip(1)), 1e-14);
}

TEST(Recurrences, TheLstmIsTheEquationsOfItsFile) {
    const auto block = blockOf("recurrence", "lstm").make<Recurrence>(at::kDouble);
    fillNormal(block.store, 0.7, 2);
    const at::Tensor x = normalTensor({1, 2, kHeadD}, 8);
    at::Tensor h = at::zeros({kHeadD}, at::kDouble), c = h;
    for (std::int64_t s = 0; s < 2; ++s) {
        const at::Tensor all =
            at::mv(block.store.find("block.forward.input.weight"), x[0][s]) + block.store.find("block.forward.input.bias") +
            at::mv(block.store.find("block.forward.state.weight"), h) + block.store.find("block.forward.state.bias");
        const auto gates = all.chunk(4);
        c = at::sigmoid(gates[1]) * c + at::sigmoid(gates[0]) * at::tanh(gates[2]);
        h = at::sigmoid(gates[3]) * at::tanh(c);
        EXPECT_LT(distance(block->read(x, {})[0][s].narrow(0, 0, kHeadD), h), 1e-14) << s;
    }
}

TEST(Embeddings, FrozenVectorsAreNeitherCountedNorTrained) {
    const Json bilstm{{"topology", "bilstm"},
                      {"dims", {{"vocab_src", nullptr}, {"vocab_tgt", 13}}},
                      {"embed", {{"source", "frozen_file"}, {"vectors", "random"}}},
                      {"defaults", {{"ffn", nullptr}}},
                      {"head", "classify"}};
    const auto model = buildTiny(bilstm);
    EXPECT_FALSE(model->parameters().find("embed.shared.weight").defined());
    const at::Tensor source = ids({4, 5, 6, 3, 1});
    const at::Tensor logits = model->logits(model->pool(model->encode({source, {}}, {}), source, {}));
    EXPECT_EQ(logits.sizes(), (at::IntArrayRef{1, 2}));
    const auto again = buildTiny(bilstm);
    EXPECT_TRUE(at::equal(model->encode({source, {}}, {}), again->encode({source, {}}, {})));
}

TEST(Embeddings, FrozenVectorsWithoutAFileAreCountedButNotRun) {
    const auto model = buildTiny({{"embed", {{"source", "frozen_file"}}}});
    EXPECT_GT(model->parameters().count(), 0);
    try {
        model->encode({ids({4, 5}), {}}, {});
        FAIL() << "ran without vectors";
    } catch (const Error& error) {
        EXPECT_NE(error.problem().find("no word vectors"), std::string::npos);
        EXPECT_EQ(error.where(), "embed");
    }
}

TEST(Embeddings, PatchesBecomePositionsAfterTheClassToken) {
    const Json over{{"topology", "encoder"},
                    {"dims", {{"vocab_src", nullptr}, {"vocab_tgt", nullptr}}},
                    {"embed", {{"source", "patches"}, {"size", 2}, {"channels", 3}}},
                    {"position", "learned"},
                    {"head", {{"kind", "classify"}, {"pool", "first"}}}};
    const auto model = buildTiny(over);
    const at::Tensor patches = normalTensor({2, 9, 12}, 4);
    const at::Tensor hidden = model->encode({patches, {}}, {});
    EXPECT_EQ(hidden.sizes(), (at::IntArrayRef{2, 10, 16}));
    EXPECT_EQ(model->logits(model->pool(hidden, patches, {})).sizes(), (at::IntArrayRef{2, 2}));
    Json plain = over;
    plain["embed"]["class_token"] = false;
    EXPECT_EQ(buildTiny(plain)->encode({patches, {}}, {}).size(1), 9);
}

TEST(Parallel, TheSduIsAGatedMapOfItsInput) {
    const at::Tensor u = normalTensor({2, 3, kHeadD}, 4);
    for (const char* act : {"tanh", "sigmoid"}) {
        const auto sdu = blockOf("parallel", "sdu", {{"act", act}}).make<Parallel>(at::kDouble);
        fillNormal(sdu.store, 1, 2);
        const auto map = [&](const std::string& name) {
            return at::linear(u, sdu.store.find("block." + name + ".weight"), sdu.store.find("block." + name + ".bias"));
        };
        const at::Tensor gate = std::string(act) == "tanh" ? at::tanh(map("gate")) : at::sigmoid(map("gate"));
        EXPECT_LT(distance(sdu->beside(u, {}), gate * map("map")), 1e-15) << act;
    }
}

TEST(FeedForwards, AGatedNetworkMultipliesItsHiddenLayer) {
    const at::Tensor x = normalTensor({2, 3, kHeadD}, 4);
    const auto glu = blockOf("ffn", "glu", {{"act", "none"}, {"bias", false}}).make<FeedForward>(at::kDouble);
    fillNormal(glu.store, 1, 2);
    const auto map = [&](const char* name, const at::Tensor& in) {
        return at::matmul(in, glu.store.find(std::string("block.") + name + ".weight").t());
    };
    EXPECT_LT(distance(glu->transform(x, {}), map("out", map("gate", x) * map("in", x))), 1e-13);
}

TEST(Norms, TheRootMeanSquareBecomesOne) {
    const auto norm = blockOf("norm", "rmsnorm", {{"eps", 1e-15}}).make<Norm>(at::kDouble);
    const at::Tensor y = norm->normalise(normalTensor({2, 3, kHeadD}, 4) * 7);
    EXPECT_LT(distance(y.square().mean(-1), at::ones({2, 3}, at::kDouble)), 1e-12);
}

}  // namespace
}  // namespace heddle
