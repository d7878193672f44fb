// SPDX-License-Identifier: GPL-3.0-or-later
// The draft without the page: effects of edits on the document, the counts, the differences and the history.
#include "tests/ui/support/offscreen.h"
#include "ui/pages/compose/diagram/diagram.h"
#include "ui/pages/compose/draft/variant_draft.h"

#include <QSignalSpy>

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

/// Table 3 of the EAU/GRC paper, third row.
Json variant(const char* preset) {
    return {{"preset", preset}, {"dims", {{"d", 128}, {"f", 512}, {"heads", 8}, {"layers_enc", 2}, {"layers_dec", 2}}}};
}

class Draft : public testing::Test {
protected:
    Draft() {
        draft_.setBaseline(variant("eau-base"), text("base"));
        draft_.open(variant("eau-full"), text("full"));
    }
    SlotSite site(const char* path) { return siteOfPath(path, draft_.facts()->variant).value(); }
    std::string idAt(const char* path) { return choiceAt(draft_.facts()->variant, site(path))->id; }

    VariantDraft draft_;
};

}  // namespace

TEST_F(Draft, CountsWithAssumedVocabulariesAsTheLiteraturePrints) {
    ASSERT_TRUE(draft_.facts());
    EXPECT_TRUE(draft_.facts()->sourceAssumed);
    EXPECT_EQ(draft_.facts()->cost.parameters, 4'061'869);
    EXPECT_EQ(draft_.baselineFacts()->cost.parameters, 3'698'221);
    draft_.setAssumed({5894, 7853});
    EXPECT_EQ(draft_.facts()->cost.parameters, 4'061'869 + 128);
    EXPECT_EQ(draft_.baselineFacts()->cost.parameters, 3'698'221 + 128) << "the baseline is counted in the same way";
}

TEST_F(Draft, APathHasASlotOnlyInALayerWithANumber) {
    const auto& variant = draft_.facts()->variant;
    EXPECT_TRUE(siteOfPath("encoder.layers.1.self.norm", variant) == (SlotSite{"encoder", "self", "norm", 1, 1}));
    for (const char* path : {"encoder.layers.one.self.norm", "encoder.layers.1x.self.norm", "encoder.layers..self.norm",
                             "encoder.layers.2.self.norm"})
        EXPECT_FALSE(siteOfPath(path, variant)) << path;
}

TEST_F(Draft, ASharedTableIsCountedOnce) {
    draft_.apply({"embed.source=tied_src_tgt"}, text("tie"));
    ASSERT_TRUE(draft_.problems().empty()) << draft_.problems().front().what;
    EXPECT_EQ(draft_.facts()->cost.parameters, 4'061'869 - 5893 * 128);
}

TEST_F(Draft, AnEditIsOneUndoStepAndCanBeRedone) {
    const Json before = draft_.document();
    draft_.chooseBlock(site("encoder.self.adjuster"), VariantDraft::Reach::Site, "none");
    EXPECT_EQ(draft_.facts()->cost.parameters, 4'061'869 - 2 * 33'088);
    EXPECT_EQ(draft_.history().count(), 1);
    EXPECT_TRUE(draft_.isModified());
    draft_.history().undo();
    EXPECT_EQ(draft_.document(), before);
    EXPECT_EQ(draft_.facts()->cost.parameters, 4'061'869);
    EXPECT_FALSE(draft_.isModified());
    draft_.history().redo();
    EXPECT_EQ(idAt("encoder.layers.1.self.adjuster"), "none");
}

TEST_F(Draft, AnEditOfOneLayerIsAnExceptionAndOneOfAllLayersRemovesIt) {
    SlotSite one = site("encoder.layers.1.self.adjuster");
    draft_.chooseBlock(one, VariantDraft::Reach::Site, "none");
    EXPECT_EQ(idAt("encoder.layers.0.self.adjuster"), "eau");
    EXPECT_EQ(idAt("encoder.layers.1.self.adjuster"), "none");
    draft_.chooseBlock(site("encoder.self.adjuster"), VariantDraft::Reach::Site, "eau");
    EXPECT_EQ(idAt("encoder.layers.1.self.adjuster"), "eau");
    EXPECT_FALSE(draft_.document()["variant"]["encoder"].contains("layers"));
}

TEST_F(Draft, TheReachOfTheModelIsEverySublayerWithTheSlot) {
    draft_.chooseBlock(site("encoder.self.residual"), VariantDraft::Reach::Model, "add");
    for (const char* path : {"encoder.ffn.residual", "decoder.self.residual", "decoder.cross.residual", "decoder.ffn.residual"})
        EXPECT_EQ(idAt(path), "add") << path;
    EXPECT_EQ(draft_.history().count(), 1);
    draft_.history().undo();
    EXPECT_EQ(idAt("decoder.ffn.residual"), "grc");
}

TEST_F(Draft, AParameterIsWrittenWhereItsBlockIs) {
    draft_.chooseBlock(site("encoder.layers.0.self.adjuster"), VariantDraft::Reach::Site, "none");
    draft_.setParameter(site("decoder.self.adjuster"), VariantDraft::Reach::Model, {"hidden", 16});
    EXPECT_TRUE(draft_.problems().empty());
    EXPECT_EQ(idAt("encoder.layers.0.self.adjuster"), "none");
    EXPECT_EQ(idAt("encoder.ffn.adjuster"), "none");
    for (const char* path :
         {"encoder.layers.1.self.adjuster", "decoder.layers.0.self.adjuster", "decoder.layers.1.cross.adjuster"})
        EXPECT_EQ(choiceAt(draft_.facts()->variant, site(path))->params["hidden"], 16) << path;
    draft_.setParameter(site("decoder.self.adjuster"), VariantDraft::Reach::Site, {"hidden", nullptr});
    EXPECT_TRUE(choiceAt(draft_.facts()->variant, site("decoder.self.adjuster"))->params["hidden"].is_null());
}

TEST_F(Draft, AProblemKeepsTheNewestValidState) {
    draft_.apply({"dims.heads=7"}, text("heads"));
    ASSERT_EQ(draft_.problems().size(), 1U);
    EXPECT_EQ(draft_.problems().front().path, "dims.heads");
    EXPECT_EQ(draft_.facts()->cost.parameters, 4'061'869);
    draft_.apply({"dims.heads=4"}, text("heads"));
    EXPECT_TRUE(draft_.problems().empty());
}

TEST_F(Draft, AnInvalidDocumentDoesNotHaveTheDifferencesOfTheDraftBefore) {
    ASSERT_FALSE(draft_.differences().empty());
    draft_.open(Json{{"dims", {{"heads", 7}}}}, text("wrong"));
    EXPECT_FALSE(draft_.problems().empty());
    EXPECT_TRUE(draft_.differences().empty());
    EXPECT_FALSE(draft_.differs("decoder.layers.1.cross.adjuster"));
}

TEST_F(Draft, ProblemsOfTheRunAreFoundToo) {
    draft_.apply({"train.epochs=0"}, text("epochs"));
    ASSERT_EQ(draft_.problems().size(), 1U);
    EXPECT_EQ(draft_.problems().front().path, "train.epochs");
    EXPECT_NE(draft_.problems().front().what.find("never end"), std::string::npos);
}

TEST_F(Draft, AnEditThatFailsIsReportedAndChangesNothing) {
    QSignalSpy failed(&draft_, &VariantDraft::failed);
    const Json before = draft_.document();
    draft_.apply({"encoder.star.adjuster=eau"}, text("wrong"));
    EXPECT_EQ(failed.size(), 1);
    EXPECT_EQ(draft_.document(), before);
    EXPECT_EQ(draft_.history().count(), 0);
}

TEST_F(Draft, EqualDifferencesOfLayersAreOneRow) {
    std::vector<std::string> paths;
    for (const auto& difference : draft_.differences()) paths.push_back(difference.path);
    EXPECT_THAT(paths, testing::Contains("encoder.layers.*.self.adjuster.kind"));
    EXPECT_THAT(paths, testing::Not(testing::Contains("encoder.layers.0.self.adjuster.kind")));
    EXPECT_TRUE(draft_.differs("decoder.layers.1.cross.adjuster"));
    EXPECT_FALSE(draft_.differs("decoder.layers.1.cross.scorer"));
    draft_.chooseBlock(site("encoder.layers.1.self.adjuster"), VariantDraft::Reach::Site, "none");
    paths.clear();
    for (const auto& difference : draft_.differences()) paths.push_back(difference.path);
    EXPECT_THAT(paths, testing::Contains("encoder.layers.0.self.adjuster.kind"));
}

TEST_F(Draft, ALongModelIsEvaluatedInTheBackground) {
    draft_.apply({"dims.layers_enc=200"}, text("deep"));
    EXPECT_FALSE(draft_.isSettled());
    QSignalSpy changed(&draft_, &VariantDraft::changed);
    ASSERT_TRUE(changed.wait(5000));
    EXPECT_TRUE(waitUntil([&] { return draft_.isSettled(); }));
    EXPECT_EQ(draft_.facts()->variant.encoder.size(), 200U);
}

TEST_F(Draft, TheDiagramFoldsEqualLayersAndKeepsTheOrderOfEvaluation) {
    const Diagram folded = layoutDiagram(draft_, {});
    ASSERT_EQ(folded.frames.size(), 2U);
    EXPECT_EQ(folded.frames[0].title, text("encoder.layers × 2"));
    EXPECT_EQ(folded.frames[0].figure, text("264,384 each"));
    const auto top = [&](const char* path) {
        const int box = folded.boxOf(site(path));
        EXPECT_GE(box, 0) << path;
        return folded.box(box).rect.top();
    };
    EXPECT_LT(top("decoder.cross.scorer"), top("decoder.cross.adjuster"));
    EXPECT_LT(top("decoder.cross.adjuster"), top("decoder.cross.dropout"));
    EXPECT_LT(top("decoder.cross.dropout"), top("decoder.cross.residual"));
    EXPECT_LT(top("decoder.cross.residual"), top("decoder.cross.norm"));
    EXPECT_LT(top("decoder.cross.norm"), top("decoder.ffn.ffn"));
    draft_.chooseBlock(site("encoder.layers.0.self.adjuster"), VariantDraft::Reach::Site, "none");
    EXPECT_EQ(layoutDiagram(draft_, {}).frames.size(), 3U) << "different layers have separate frames";
    EXPECT_EQ(layoutDiagram(draft_, {{"encoder", "decoder"}, Marking::On}).frames.size(), 4U);
}

TEST_F(Draft, PreNormIsDrawnBeforeTheMixer) {
    draft_.setParameter(site("encoder.self.norm"), VariantDraft::Reach::Model, {"place", "pre"});
    const Diagram diagram = layoutDiagram(draft_, {});
    const auto& norm = diagram.box(diagram.boxOf(site("encoder.self.norm")));
    const auto& scorer = diagram.box(diagram.boxOf(site("encoder.self.scorer")));
    EXPECT_LT(norm.rect.top(), scorer.rect.top());
}

TEST_F(Draft, BoxesHaveTheMarksOfTheirProblemsAndDifferences) {
    Diagram diagram = layoutDiagram(draft_, {});
    const int adjuster = diagram.boxOf(site("encoder.self.adjuster")), ffn = diagram.boxOf(site("encoder.ffn.ffn"));
    EXPECT_TRUE(diagram.box(adjuster).differs);
    EXPECT_FALSE(diagram.box(ffn).differs);
    EXPECT_EQ(diagram.box(adjuster).figure, text("33,088"));
    draft_.apply({"encoder.self.adjuster.hidden=-1"}, text("wrong"));
    diagram = layoutDiagram(draft_, {});
    EXPECT_EQ(diagram.box(diagram.boxOf(site("encoder.self.adjuster"))).problem, 1);
    EXPECT_EQ(diagram.box(diagram.boxOf(site("decoder.self.adjuster"))).problem, 0);
    draft_.history().undo();
    const Diagram unmarked = layoutDiagram(draft_, {{}, Marking::Off});
    EXPECT_FALSE(unmarked.box(unmarked.boxOf(site("encoder.self.adjuster"))).differs);
}
