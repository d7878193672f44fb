// SPDX-License-Identifier: Apache-2.0
// The module of a block does what its BlockDescriptor tells the rules, with each choice of its options.
#include "engine/blocks/block.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace heddle {
namespace {

using testing_support::distance;
using verify::MadeBlock;
using verify::normalTensor;
using verify::OneBlock;

constexpr std::int64_t kFactB = 2, kFactS = 5, kHeads = 2, kFactD = 8;

Dims dims() {
    return {.d = kFactD,
            .f = 12,
            .heads = kHeads,
            .keyDim = 4,
            .valueDim = 4,
            .maxLen = 6,
            .vocabSrc = 7,
            .vocabTgt = 9,
            .classes = 3};
}

/// A block with some of its options. Its parameters are random, because zeros could hide an effect.
struct Stated {
    const BlockDescriptor& block;
    Json options;

    template <class Slot>
    MadeBlock<Slot> make() const {
        auto made = OneBlock{block.slot, block.id, options, dims()}.make<Slot>(at::kDouble);
        verify::fillNormal(made.store, 0.7, 5);
        return made;
    }
    Json allOptions() const { return verify::blockParameters(block.slot, block.id, options); }
    std::string name() const { return block.slot + " " + block.id + " " + options.dump(); }
};

/// The blocks of a slot, each with its defaults and with every value of each option that is a choice or a flag.
std::vector<Stated> statedOf(const std::string& slot) {
    std::vector<Stated> all;
    for (const BlockDescriptor* block : builtinCatalogue().ofSlot(slot)) {
        all.push_back({*block, Json::object()});
        for (const FieldSchema& field : block->parameters) {
            for (const std::string& word : field.choices) all.push_back({*block, {{field.key, word}}});
            if (field.type == FieldSchema::Type::Boolean)
                for (const bool value : {false, true}) all.push_back({*block, {{field.key, value}}});
        }
    }
    return all;
}

at::Tensor stream(std::uint64_t seed) { return normalTensor({kFactB, kFactS, kFactD}, seed); }
at::Tensor weights(std::uint64_t seed) { return at::softmax(normalTensor({kFactB, kHeads, kFactS, kFactS}, seed), -1); }

TEST(Facts, OfMasks) {
    for (const Stated& mask : statedOf("mask"))
        EXPECT_EQ(mask.make<Mask>()->hidesFuture(), mask.block.seesWith(mask.allOptions()) == VisibleKeys::UpToQuery)
            << mask.name();
}

TEST(Facts, OfScorers) {
    for (const Stated& scorer : statedOf("scorer")) {
        const auto made = scorer.make<Scorer>();
        EXPECT_EQ(made->givesWeights(), scorer.block.givesWeights) << scorer.name();
        const at::Tensor q = stream(1), k = stream(2);
        const bool isProduct = made->product(q, k).has_value();
        EXPECT_TRUE(isProduct || !scorer.block.isPerHead || scorer.options != Json::object()) << scorer.name();
        const at::Tensor scores = made->score(q, k, {});
        const bool hidesFuture = scores.triu(1).abs().max().item<double>() == 0;
        const bool hidesOwn = scores.triu(0).abs().max().item<double>() == 0;
        const VisibleKeys sees = hidesOwn ? VisibleKeys::BeforeQuery : hidesFuture ? VisibleKeys::UpToQuery : VisibleKeys::All;
        EXPECT_EQ(sees, scorer.block.seesWith(scorer.allOptions())) << scorer.name();
    }
}

TEST(Facts, OfRelativePositions) {
    for (const Stated& relative : statedOf("relative")) {
        const auto made = relative.make<RelativePosition>();
        EXPECT_EQ(made->changesScores(), relative.block.changesScores) << relative.name();
        const at::Tensor scores = normalTensor({kFactB, kHeads, kFactS, kFactS}, 3);
        EXPECT_EQ(distance(made->biased(scores, {}), scores) > 0, relative.block.changesScores) << relative.name();
    }
}

TEST(Facts, OfScorersThatApplyPositions) {
    const auto rotary = OneBlock{"relative", "rotary", Json::object(), dims()}.make<RelativePosition>(at::kDouble);
    for (const Stated& scorer : statedOf("scorer")) {
        OneBlock placed{"scorer", scorer.block.id, scorer.options, dims(), rotary.block.get()};
        const auto made = placed.make<Scorer>(at::kDouble), plain = scorer.make<Scorer>();
        verify::fillNormal(made.store, 0.7, 5);
        const double moved = distance(made->score(stream(1), stream(2), {}), plain->score(stream(1), stream(2), {}));
        EXPECT_EQ(moved > 0, scorer.block.takesRelative) << scorer.name();
    }
}

TEST(Facts, OfBlocksWithFewerHeadsOfKeys) {
    for (const char* slot : {"scorer", "value"})
        for (const BlockDescriptor* block : builtinCatalogue().ofSlot(slot)) {
            const auto count = [&](std::int64_t kvHeads) {
                Dims sizes = dims();
                sizes.kvHeads = kvHeads;
                OneBlock one{slot, block->id, Json::object(), sizes};
                return one.make<Block>(at::kDouble).store.count();
            };
            EXPECT_EQ(count(1) < count(0), block->takesKeyHeads) << slot << " " << block->id;
        }
}

TEST(Facts, OfNormalisers) {
    for (const Stated& normaliser : statedOf("normaliser")) {
        const auto made = normaliser.make<Normaliser>();
        const at::Tensor logits = normalTensor({kFactB, kHeads, kFactS, kFactS}, 3);
        at::Tensor other = logits.clone();
        other.select(1, 1).copy_(normalTensor({kFactB, kFactS, kFactS}, 4));
        const double moved = distance(made->normalise(logits).select(1, 0), made->normalise(other).select(1, 0));
        EXPECT_EQ(moved > 0, normaliser.block.mixesHeads) << normaliser.name();
    }
}

TEST(Facts, OfValues) {
    for (const Stated& value : statedOf("value")) {
        const auto made = value.make<Value>();
        EXPECT_EQ(made.store.find("block.out.weight").defined(), value.block.hasProjection) << value.name();
        const at::Tensor x = stream(1), p = weights(2), order = at::tensor({3, 0, 4, 1, 2}, at::kLong);
        EXPECT_EQ(made->heads(x).defined(), value.block.isPerHead) << value.name();
        const at::Tensor inOrder = made->aggregate(p, x, nullptr, {});
        const at::Tensor moved = made->aggregate(p.index_select(-1, order), x.index_select(1, order), nullptr, {});
        EXPECT_EQ(distance(inOrder, moved) > 1e-9, value.block.tellsOrder) << value.name();
    }
}

TEST(Facts, OfAdjusters) {
    for (const Stated& adjuster : statedOf("adjuster"))
        EXPECT_EQ(adjuster.make<Adjuster>()->place(), adjuster.block.adjustsAt(adjuster.allOptions())) << adjuster.name();
}

TEST(Facts, OfPositions) {
    for (const Stated& position : statedOf("position")) {
        if (!position.block.leavesOrderToValues) continue;
        EXPECT_EQ(distance(position.make<Position>()->add(stream(1), 0), stream(1)), 0) << position.name();
    }
}

TEST(Facts, OfWhatReadsTheStacksInput) {
    for (const Stated& start : statedOf("h0")) {
        const auto made = start.make<Start>();
        EXPECT_EQ(distance(made->start(stream(1)), made->start(stream(2))) > 0, start.block.readsInput) << start.name();
    }
    for (const Stated& direct : statedOf("direct")) {
        const auto made = direct.make<DirectPath>();
        const at::Tensor one = made->path(stream(1)), other = made->path(stream(2));
        EXPECT_EQ(one.defined() && distance(one, other) > 0, direct.block.readsInput) << direct.name();
    }
    for (const Stated& combine : statedOf("combine")) {
        const auto made = combine.make<Combine>();
        const at::Tensor mixed = stream(1), direct = stream(2), h = stream(3);
        const auto combined = [&](const at::Tensor& input, at::Tensor& cell) {
            return made->combine({mixed, direct, h, input, cell}, {});
        };
        at::Tensor first, second, kept = stream(6);
        const at::Tensor one = combined(stream(4), first);
        EXPECT_EQ(distance(one, combined(stream(5), second)) > 0, combine.block.readsInput) << combine.name();
        EXPECT_EQ(first.defined(), combine.block.hasMemory) << combine.name();
        EXPECT_EQ(distance(one, combined(stream(4), kept)) > 0, combine.block.hasMemory) << combine.name();
    }
}

TEST(Facts, OfShares) {
    constexpr std::int64_t kDepth = 3;
    for (const Stated& share : statedOf("share")) {
        std::set<std::int64_t> layers;
        std::int64_t passes = 0;
        share.make<Share>()->run(stream(1), kDepth,
                                 [&](std::int64_t layer, const at::Tensor& h_BSD) {
                                     layers.insert(layer);
                                     return ++passes, h_BSD * 0.5;
                                 },
                                 {});
        EXPECT_EQ(layers.size() == 1, share.block.sharesWeights) << share.name();
        EXPECT_EQ(passes != kDepth, static_cast<bool>(share.block.iterates)) << share.name();
        const std::int64_t most = share.block.iterates ? share.block.iterates(share.allOptions()).most : kDepth;
        EXPECT_LE(passes, most) << share.name();
    }
}

TEST(Facts, OfEmbeddings) {
    const Catalogue& catalogue = builtinCatalogue();
    for (const Stated& embed : statedOf("embed")) {
        const auto made = embed.make<Embedding>();
        EXPECT_EQ(made->tiesOutput(), embed.block.tiesOutput) << embed.name();
        EXPECT_EQ(made->table(Embedding::Side::Source).defined(), !embed.block.patches) << embed.name();
        if (embed.block.patches) {
            const PatchForm form = embed.block.patches(embed.allOptions());
            const at::Tensor x_BSD = made->embed(Embedding::Side::Source, {normalTensor({kFactB, kFactS, form.numbers()}, 1)});
            EXPECT_EQ(x_BSD.sizes(), (at::IntArrayRef{kFactB, kFactS + (form.hasClassToken ? 1 : 0), kFactD})) << embed.name();
        }
        if (embed.block.otherTie.empty()) continue;
        const BlockDescriptor& other = catalogue.at("embed", embed.block.otherTie);
        EXPECT_EQ(other.otherTie, embed.block.id);
        EXPECT_NE(other.tiesOutput, embed.block.tiesOutput) << embed.name();
    }
}

TEST(Facts, OfHeads) {
    for (const Stated& head : statedOf("head")) {
        const auto made = head.make<Head>();
        const auto sizes = made->logits(made->pool(stream(1), {}, {})).sizes().vec();
        const auto wanted = [&]() -> std::vector<std::int64_t> {
            switch (head.block.outputs) {
            case HeadOutputs::Words: return {kFactB, kFactS, dims().vocabTgt};
            case HeadOutputs::Class: return {kFactB, dims().classes};
            case HeadOutputs::Number: return {kFactB, 1};
            case HeadOutputs::Tags: return {kFactB, kFactS, dims().classes};
            case HeadOutputs::Span: return {kFactB, kFactS, 2};
            case HeadOutputs::None: break;
            }
            return {};
        };
        EXPECT_EQ(sizes, wanted()) << head.name();
    }
}

/// Checks usesVocabulary, classRows and neutral of the blocks of every slot.
TEST(Facts, OfCountsAndParameters) {
    for (const BlockDescriptor& block : builtinCatalogue().blocks()) {
        const Stated stated{block, Json::object()};
        const auto made = OneBlock{block.slot, block.id, Json::object(), dims()}.make<Block>(at::kDouble);
        BlockContext where;
        where.dims = dims();
        const std::int64_t count = block.parameterCount(where, stated.allOptions());
        where.dims.vocabSrc += 10, where.dims.vocabTgt += 10;
        EXPECT_EQ(block.parameterCount(where, stated.allOptions()) != count, block.usesVocabulary) << stated.name();
        for (const std::string& path : block.classRows) {
            const at::Tensor parameter = made.store.find("block." + path);
            ASSERT_TRUE(parameter.defined()) << stated.name() << " " << path;
            const bool isOfClasses = block.outputs == HeadOutputs::Class || block.outputs == HeadOutputs::Tags;
            EXPECT_EQ(parameter.size(0) == dims().classes, isOfClasses) << stated.name() << " " << path;
        }
        for (const auto& [path, value] : block.neutral)
            EXPECT_TRUE(made.store.find("block." + path).defined()) << stated.name() << " " << path << " = " << value;
    }
}

/// Checks showsFuture: whether a score rule lets a position depend on later ones although the mask hides them.
TEST(Facts, OfWhatShowsTheFuture) {
    std::size_t shown = 0;
    for (const BlockDescriptor* rule : builtinCatalogue().ofSlot("score"))
        for (const char* masked : {"zero", "raw"}) {
            const bool hasGate = !rule->parameters.empty();
            const Json choice = hasGate ? Json{{"rule", rule->id}, {"gate", {{"mask_prev", masked}}}} : Json(rule->id);
            const auto model =
                testing_support::buildTiny({{"topology", "decoder"}, {"defaults", {{"mask", "causal"}, {"score", choice}}}});
            const auto hidden = [&](std::int64_t last) {
                return model->decode({testing_support::ids({2, 7, 8, last}), {}}, Memory{}, {});
            };
            const bool leaks = distance(hidden(9).narrow(1, 0, 3), hidden(5).narrow(1, 0, 3)) > 1e-9;
            const Json options = model->variant().decoder.back().sublayers.front().slots.at("score").params;
            EXPECT_EQ(leaks, rule->showsFuture && rule->showsFuture(options)) << rule->id << " " << masked;
            shown += leaks ? 1 : 0;
        }
    EXPECT_EQ(shown, 1U) << "the gate that reads hidden scores";
}

}  // namespace
}  // namespace heddle
