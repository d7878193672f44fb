// SPDX-License-Identifier: Apache-2.0
// The order in which a sublayer is drawn is that in which the engine evaluates it (variants.md 1.1).
#include "engine/spec/variant_spec.h"

#include "engine/spec/catalogue.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>

namespace heddle::test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

/// Of the feed-forward sublayer of an encoder whose defaults are these.
static EvaluationOrder orderWith(const Json& defaults) {
    const Json document{{"preset", "eau-base"}, {"defaults", defaults}};
    const auto resolved = VariantSpec::parse(document, builtinCatalogue()).resolve(40, 40);
    for (const auto& sublayer : resolved.encoder.front().sublayers)
        if (sublayer.name == "ffn") return evaluationOrder(sublayer);
    return {};
}

TEST(EvaluationOrder, ANormStandsBehindOrBeforeItsSublayer) {
    const EvaluationOrder post = orderWith({{"norm", {{"kind", "layernorm"}, {"place", "post"}}}});
    EXPECT_THAT(post.before, ElementsAre());
    EXPECT_THAT(post.after, ElementsAre("adjuster", "dropout", "parallel", "residual", "norm"));
    const EvaluationOrder pre = orderWith({{"norm", {{"kind", "layernorm"}, {"place", "pre"}}}});
    EXPECT_THAT(pre.before, ElementsAre("norm"));
    EXPECT_THAT(pre.after, ElementsAre("adjuster", "dropout", "parallel", "residual"));
    const EvaluationOrder both = orderWith({{"norm", {{"kind", "layernorm"}, {"place", "sandwich"}}}});
    EXPECT_THAT(both.before, ElementsAre("norm"));
    EXPECT_THAT(both.after, ElementsAre("adjuster", "dropout", "parallel", "norm", "residual"));
    const EvaluationOrder around = orderWith({{"norm", {{"kind", "layernorm"}, {"place", "both"}}}});
    EXPECT_THAT(around.before, ElementsAre("norm"));
    EXPECT_THAT(around.after, ElementsAre("adjuster", "dropout", "parallel", "residual", "norm"));
    const EvaluationOrder output = orderWith({{"norm", {{"kind", "layernorm"}, {"place", "res_post"}}}});
    EXPECT_THAT(output.before, ElementsAre());
    EXPECT_THAT(output.after, ElementsAre("adjuster", "dropout", "parallel", "norm", "residual"));
}

TEST(EvaluationOrder, AnAdjusterAndDropoutStandWhereTheirOptionsSay) {
    const EvaluationOrder late = orderWith({{"adjuster", {{"kind", "eau"}, {"where", "before_ffn"}}}});
    EXPECT_EQ(late.after.back(), "adjuster");
    const EvaluationOrder first = orderWith({{"dropout", {{"kind", "standard"}, {"order", "before_adjuster"}}}});
    EXPECT_EQ(first.after.front(), "dropout");
}

TEST(EvaluationOrder, AnAdjusterBeforeTheOutputProjectionStandsInTheAttention) {
    const Json gate{{"adjuster", {{"kind", "output_gate"}}}}, eau{{"adjuster", {{"kind", "eau"}, {"where", "before_wo"}}}};
    for (const Json& adjuster : {gate, eau}) {
        Json document{{"preset", "eau-base"}, {"encoder", {{"sublayers", {Json{{"name", "self"}}, Json{{"name", "ffn"}}}}}}};
        document["encoder"]["sublayers"][0].update(adjuster);
        const auto resolved = VariantSpec::parse(document, builtinCatalogue()).resolve(40, 40);
        const EvaluationOrder order = evaluationOrder(resolved.encoder.front().sublayers.front());
        EXPECT_THAT(order.after, Not(Contains("adjuster")));
        EXPECT_THAT(order.before, Not(Contains("adjuster")));
        const auto value = std::find(order.mixer.begin(), order.mixer.end(), "value");
        ASSERT_NE(value, order.mixer.end());
        EXPECT_EQ(*std::next(value), "adjuster");
    }
}

}  // namespace heddle::test
