// SPDX-License-Identifier: Apache-2.0
#include "engine/run/interventions.h"

#include "engine/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::vector<Intervention>& everyAlternative() {
    static const std::vector<Intervention> all{MuteHead{"encoder.layers.0.self", 3},
                                               MeanOutput{"encoder.layers.0.self", 2},
                                               ResampleOutput{"encoder.layers.0.ffn"},
                                               ClampExposure{"encoder.layers.0.self.residual.gate", -0.1},
                                               ScaleExposure{"encoder.layers.0.self.residual.gate", 1e-7},
                                               CutCarry{"decoder.layers.1.self"},
                                               IdentityResidual{"decoder.layers.1.ffn"},
                                               NeutralBlock{"encoder.layers.0.ffn.residual"}};
    return all;
}

InterventionTargets targetsOf(const Json& document) {
    return interventionTargets(VariantSpec::parse(document, builtinCatalogue()).resolve(20, 20));
}

InterventionTargets smallTargets() {
    return targetsOf({{"preset", "eau-full"},
                      {"dims", {{"d", 16}, {"f", 24}, {"heads", 2}, {"layers_enc", 2}, {"layers_dec", 2}}},
                      {"defaults", {{"score", {{"rule", "add"}}}}}});
}

std::string refusal(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_FALSE(error.next().empty()) << error.what();
        return std::to_string(static_cast<int>(error.code())) + ": " + error.problem() + " (" + error.where() +
               "): " + error.next();
    }
    return "none";
}

std::string refused(const Intervention& intervention) {
    return refusal([&] { checkInterventions({intervention}, smallTargets()); });
}

TEST(Interventions, EveryAlternativeComesBackFromItsTextAndItsDocument) {
    ASSERT_EQ(everyAlternative().size(), std::variant_size_v<Intervention>);
    for (std::size_t i = 0; i < everyAlternative().size(); ++i) {
        const Intervention& one = everyAlternative()[i];
        EXPECT_EQ(kindOf(one), interventionKinds().at(i));
        EXPECT_EQ(parseIntervention(kindOf(one), textOf(one)), one);
        EXPECT_EQ(readIntervention(Json::parse(interventionDocument(one).dump())), one);
    }
    EXPECT_EQ(textOf(everyAlternative()[0]), "encoder.layers.0.self:3");
    EXPECT_EQ(interventionDocument(everyAlternative()[1]),
              Json::parse(R"({"kind":"mean","path":"encoder.layers.0.self","head":2})"));
    EXPECT_EQ(interventionDocument(everyAlternative()[2]),
              Json::parse(R"({"kind":"resample","path":"encoder.layers.0.ffn","seed":1})"));
    EXPECT_EQ(interventionDocument(everyAlternative()[3]),
              Json::parse(R"({"kind":"clamp","path":"encoder.layers.0.self.residual.gate","value":-0.1})"));
}

TEST(Interventions, TextsThatSayNothingAreRefused) {
    for (const char* text :
         {"", "encoder.layers.0.self", "encoder.layers.0.self:", "encoder.layers.0.self:x", ":1", "encoder.layers.0.self:-1",
          "encoder.layers.0.self:1.5", "encoder.layers.0.self:99999999999999999999"})
        EXPECT_THAT(refusal([&] { parseIntervention("mute", text); }), AllOf(HasSubstr("2: "), HasSubstr("(--mute)"))) << text;
    for (const char* text : {"", ":1", "encoder.layers.0.self:", "encoder.layers.0.self:x", "encoder.layers.0.self:-1"})
        EXPECT_THAT(refusal([&] { parseIntervention("resample", text); }), HasSubstr("(--resample)")) << text;
    for (const char* text : {"", "gate", "gate=", "=1", "gate=one", "gate=nan", "gate=inf", "gate=1e999", "gate=1 "})
        EXPECT_THAT(refusal([&] { parseIntervention("clamp", text); }), HasSubstr("(--clamp)")) << text;
    EXPECT_THAT(refusal([] { parseIntervention("cut_carry", ""); }), HasSubstr("(--cut-carry)"));
    EXPECT_THAT(refusal([] { parseIntervention("mutes", "a:1"); }), HasSubstr("did you mean \"mute\"?"));
}

TEST(Interventions, OtherDocumentsAreRefused) {
    for (const char* text :
         {"null", "[]", "{}", R"({"kind":"mute","path":"a"})", R"({"kind":"mute","path":"a","head":-1})",
          R"({"kind":"mute","path":"a","head":1,"more":2})", R"({"kind":"clamp","path":"a","value":"1"})",
          R"({"kind":"explode","path":"a"})", R"({"kind":"mute","path":7,"head":1})", R"({"kind":"cut_carry","path":""})",
          R"({"kind":"resample","path":"a","seed":2})", R"({"kind":"clamp","path":"a","value":1,"head":2})"})
        EXPECT_THAT(refusal([&] { readIntervention(Json::parse(text)); }), HasSubstr("3: ")) << text;
}

TEST(Interventions, TheDescriptorsSayWhatCanBeChanged) {
    const InterventionTargets targets = smallTargets();
    ASSERT_EQ(targets.attentions.size(), 6U);
    EXPECT_EQ(targets.attentions.front().path, "encoder.layers.0.self");
    EXPECT_EQ(targets.attentions.front().heads, 2);
    EXPECT_THAT(targets.carries, ElementsAre("encoder.layers.1.self", "decoder.layers.1.self"));
    EXPECT_EQ(targets.residuals.size(), 10U);
    EXPECT_THAT(targets.clampable(),
                AllOf(Contains("encoder.layers.0.self.residual.gate"), Contains("decoder.layers.1.cross.weight"),
                      Not(Contains("encoder.layers.1.self.score.prev"))));
    EXPECT_THAT(targets.neutral, AllOf(Contains("encoder.layers.0.ffn.residual"), Contains("encoder.layers.0.self.adjuster")));
    const InterventionTargets plain = targetsOf({{"preset", "eau-base"}});
    EXPECT_THAT(plain.carries, IsEmpty());
    EXPECT_THAT(plain.neutral, IsEmpty());
}

TEST(Interventions, MeansAndOtherExamplesAreOfWhatHasAPosition) {
    const std::string gate = "encoder.layers.0.self.residual.gate";
    EXPECT_THAT(smallTargets().outputs(),
                AllOf(Contains("decoder.layers.1.cross"), Contains(gate), Not(Contains("decoder.layers.1.cross.weight"))));
    for (const std::string kind : {"mean", "resample"}) {
        const auto said = [&](const std::string& text) { return refused(parseIntervention(kind, text)); };
        for (const std::string& text : {gate, std::string("encoder.layers.0.self:1"), std::string("encoder.layers.0.ffn")})
            EXPECT_EQ(said(text), "none") << text;
        EXPECT_THAT(said("encoder.layers.0.self:2"), AllOf(HasSubstr("its heads are 0 to 1"), HasSubstr("(--" + kind)));
        EXPECT_THAT(said("decoder.layers.1.cross.weight"), HasSubstr("over pairs of positions"));
        EXPECT_THAT(said("encoder.layers.0.ffn.residual"), HasSubstr("is a block of parameters"));
        EXPECT_THAT(said("encoder.layers.0.fnn"), HasSubstr("did you mean \"encoder.layers.0.ffn\"?"));
    }
    const auto both = [](const Intervention& one, const Intervention& other) {
        return refusal([&] { checkInterventions({one, other}, smallTargets()); });
    };
    const MuteHead mute{"encoder.layers.0.self", 1};
    EXPECT_THAT(both(mute, MeanOutput{mute.path, 1}), HasSubstr("is given twice")) << "a head is silenced in one way";
    EXPECT_EQ(both(mute, MeanOutput{mute.path, 0}), "none");
    EXPECT_EQ(both(mute, MeanOutput{mute.path}), "none") << "a head and the sublayer";
    EXPECT_THAT(both(MeanOutput{gate}, ResampleOutput{gate}), HasSubstr("is given twice"));
    for (const Intervention& whole : {Intervention(IdentityResidual{mute.path}), Intervention(MeanOutput{mute.path})}) {
        const Intervention part = MeanOutput{mute.path, 1};
        EXPECT_THAT(both(whole, part),
                    AllOf(HasSubstr("mean encoder.layers.0.self:1 would do nothing"),
                          HasSubstr(kindOf(whole) + " encoder.layers.0.self replaces"), HasSubstr("(--mean")));
        EXPECT_EQ(both(whole, part), both(part, whole));
        EXPECT_EQ(both(whole, MeanOutput{"encoder.layers.1.self", 1}), "none");
        EXPECT_EQ(both(whole, MeanOutput{gate}), "none") << "of the gate that joins it";
    }
    EXPECT_THAT(both(IdentityResidual{mute.path}, MeanOutput{mute.path}), HasSubstr("would do nothing"));
    EXPECT_THAT(both(IdentityResidual{mute.path}, ResampleOutput{mute.path, 0}), HasSubstr("(--resample"));
    EXPECT_EQ(both(ResampleOutput{mute.path}, MeanOutput{mute.path, 1}), "none") << "the other example is changed, too";
    EXPECT_EQ(headOf(MeanOutput{mute.path, 1}), mute);
    EXPECT_EQ(headOf(MeanOutput{mute.path}), std::nullopt);
}

TEST(Interventions, AParameterIsTheSameForAllExamples) {
    const InterventionTargets targets = targetsOf({{"preset", "eau-base"}, {"defaults", {{"residual", "alpha"}}}});
    const std::string alpha = "encoder.layers.0.ffn.residual.alpha";
    ASSERT_THAT(targets.clampable(), Contains(alpha));
    for (const std::string kind : {"mean", "resample"}) {
        const std::string said = refusal([&] { checkInterventions({parseIntervention(kind, alpha)}, targets); });
        EXPECT_THAT(said,
                    AllOf(HasSubstr("is a parameter, which is the same for all examples"), HasSubstr("clamp or scale it")));
        EXPECT_THAT(said, Not(HasSubstr("pairs of positions"))) << kind;
    }
}

TEST(Interventions, ARecurrentNetworkCannotGiveTheNarrowerStreamItReads) {
    EXPECT_THAT(targetsOf({{"preset", "birnn"}}).residuals, IsEmpty());
    EXPECT_FALSE(targetsOf({{"preset", "star-lstm"}}).residuals.empty());
}

TEST(Interventions, LayersThatShareTheirWeightsReadTheirOwnEarlierPasses) {
    const InterventionTargets targets =
        targetsOf({{"preset", "eau-base"}, {"encoder", {{"share", "shared"}}}, {"defaults", {{"score", {{"rule", "add"}}}}}});
    EXPECT_THAT(targets.carries, Contains("encoder.layers.0.self"));
    EXPECT_THAT(targets.carries, Not(Contains("decoder.layers.0.self")));
}

TEST(Interventions, WhatCannotBeDoneIsRefusedWithWhatCan) {
    EXPECT_EQ(refusal([] {
                  checkInterventions(
                      {MuteHead{"encoder.layers.0.self", 1}, ClampExposure{"encoder.layers.0.self.residual.gate", 1},
                       ScaleExposure{"encoder.layers.0.self.residual.gate", 2}, CutCarry{"decoder.layers.1.self"},
                       IdentityResidual{"decoder.layers.1.ffn"}, NeutralBlock{"encoder.layers.0.ffn.residual"}},
                      smallTargets());
              }),
              "none");
    EXPECT_THAT(
        refused(MuteHead{"encoder.layer.0.self", 0}),
        AllOf(HasSubstr("2: "), HasSubstr("did you mean \"encoder.layers.0.self\"?"), HasSubstr("decoder.layers.1.cross")));
    EXPECT_THAT(refused(MuteHead{"encoder.layers.0.self", 2}), HasSubstr("its heads are 0 to 1"));
    EXPECT_THAT(refused(MuteHead{"encoder.layers.0.ffn", 0}), HasSubstr("is not an attention"));
    EXPECT_THAT(refused(ClampExposure{"encoder.layers.0.self.residual.gat", 0}), HasSubstr("residual.gate\"?"));
    EXPECT_THAT(refused(ClampExposure{"encoder.layers.1.self.score.prev", 0}), HasSubstr("can be observed but not changed"));
    EXPECT_THAT(refused(CutCarry{"encoder.layers.0.self"}),
                HasSubstr("there are: encoder.layers.1.self, decoder.layers.1.self"));
    EXPECT_THAT(refused(IdentityResidual{"encoder.layers.0.self.residual"}),
                HasSubstr("did you mean \"encoder.layers.0.self\"?"));
    EXPECT_THAT(refused(NeutralBlock{"embed"}), HasSubstr("has no parameter values that make it neutral"));
    EXPECT_THAT(refusal([] {
                    checkInterventions({CutCarry{"decoder.layers.1.self"}}, targetsOf({{"preset", "eau-base"}}));
                }),
                HasSubstr("this model has none"));
    EXPECT_THAT(refusal([] {
                    const Intervention mute = MuteHead{"encoder.layers.0.self", 1};
                    checkInterventions({mute, MuteHead{"encoder.layers.0.self", 0}, mute}, smallTargets());
                }),
                HasSubstr("encoder.layers.0.self:1 is given twice"));
    EXPECT_THAT(refusal([] {
                    const std::string gate = "encoder.layers.0.self.residual.gate";
                    checkInterventions({ClampExposure{gate, 1}, ClampExposure{gate, 0}}, smallTargets());
                }),
                HasSubstr("twice"));
}

}  // namespace
}  // namespace heddle
