// SPDX-License-Identifier: Apache-2.0
// The order in which a sublayer is drawn is that in which the engine evaluates it (variants.md 1.1).
#include "engine/spec/variant_spec.h"

#include "engine/spec/catalogue.h"

#include <gmock/gmock.h>

namespace heddle::test {

using ::testing::ElementsAre;

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
}

TEST(EvaluationOrder, AnAdjusterAndDropoutStandWhereTheirOptionsSay) {
    const EvaluationOrder late = orderWith({{"adjuster", {{"kind", "eau"}, {"where", "before_ffn"}}}});
    EXPECT_EQ(late.after.back(), "adjuster");
    const EvaluationOrder first = orderWith({{"dropout", {{"kind", "standard"}, {"order", "before_adjuster"}}}});
    EXPECT_EQ(first.after.front(), "dropout");
}

}  // namespace heddle::test
