// SPDX-License-Identifier: Apache-2.0
// The recipes: every file is well-formed, every run's spec is valid, and counts that the papers print come out.
#include "engine/analysis/recipe.h"

#include "engine/analysis/spread.h"
#include "engine/base/error.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/cost.h"
#include "engine/spec/run_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using Scale = Recipe::Scale;

std::string inPlace(const std::string& kind, const std::string& name) { return kind + " of " + name; }

/// A recipe without files, for what expansion does.
Recipe smallRecipe() {
    Recipe recipe;
    recipe.set = {"dims.d=64", "data.train.source={corpus:a}", "train.lr=0.1"};
    recipe.fragments = {{"deep", {"dims.layers_enc=4", "dims.layers_dec=4"}}};
    recipe.runs = {{"one", "eau-base", "", {"deep"}, {"train.lr=0.2"}, "row", {"m"}, {}}};
    recipe.measures = {{"m", "c", "", "evaluation", "test", "bleu", "last", "", "", "", {}, "", {}, 1}};
    recipe.quick = RecipeScale{"small", "", 1, {"data.train.source={corpus:b}"}, {}, {}, {{"deep", {"dims.layers_enc=2"}}}};
    return recipe;
}

TEST(Recipes, EveryTableHasOne) {
    EXPECT_THAT(recipeIds(), IsSupersetOf({"eau-grc-table1",   "eau-grc-table2",   "eau-grc-table3",   "eau-grc-figure2",
                                           "starsaber-table1", "starsaber-table2", "starsaber-table3", "starsaber-table4",
                                           "starsaber-table5", "starsaber-table6", "starsaber-table7", "starsaber-convergence",
                                           "thesis-6.1",       "thesis-6.2",       "thesis-6.3",       "thesis-figures",
                                           "thesis-corpus",    "atinuke-table1",   "domains",          "future-work"}));
    EXPECT_THROW(readRecipe("eau-grc-table9"), Error);
}

TEST(Recipes, EveryFileIsWellFormed) {
    const auto presets = presetNames();
    for (const auto& id : recipeIds()) {
        SCOPED_TRACE(id);
        const Recipe recipe = readRecipe(id);
        for (const auto& run : recipe.runs) {
            EXPECT_TRUE(!recipe.needsTraining(run) || std::count(presets.begin(), presets.end(), run.preset) == 1) << run.name;
            const PublishedRow* row = recipe.published.row(run.row);
            EXPECT_TRUE(!row || row->preset.empty() || row->preset == run.preset) << run.name << " is not the row's model";
        }
        for (const auto& data : recipe.data) EXPECT_FALSE(data.from.empty()) << "nobody is told where to get " << data.title;
        EXPECT_TRUE(recipe.quick || !recipe.why.empty()) << "a quick version is missing";
    }
}

/// A system that no recipe compares with anything would be without an experiment.
TEST(Recipes, EveryPresetIsInOne) {
    std::set<std::string> used;
    for (const auto& id : recipeIds())
        for (const auto& run : readRecipe(id).runs) used.insert(run.preset);
    for (const auto& preset : presetNames()) EXPECT_TRUE(used.contains(preset)) << preset;
}

/// Each system in translation and on sentences, and the sparse attentions of section 9.1 among them.
TEST(Recipes, FutureWorkRunsWhatTheThesisLeavesForLater) {
    const Recipe recipe = readRecipe("future-work");
    std::map<std::string, std::set<std::string>> trained;  // the columns of each row
    for (const auto& run : recipe.runs)
        for (const auto& measure : run.measures)
            if (recipe.includes(Scale::Quick, run)) trained[run.row].insert(recipe.measure(measure).column);
    for (const char* row :
         {"baseline", "G1, sigmoid gate (9.3)", "G1, gates dropped in training (9.4)", "G1 from the layer before last (9.2)",
          "G2, separate gates (9.3)", "G3, separate gates (9.3)", "G1 with SEA (9.1)", "G1 with SparseK (9.1)",
          "G1 with 1.5-entmax (9.1)", "Highway Transformer", "RealFormer, accumulated scores"})
        EXPECT_THAT(trained[row], IsSupersetOf({"translation", "sentence"})) << row;
    for (const char* block : {"\"sea\"", "\"sparsek\"", "\"entmax15\""}) {
        const bool isUsed = std::any_of(recipe.runs.begin(), recipe.runs.end(), [&](const auto& run) {
            return recipe.needsTraining(run) &&
                   expandRun(recipe, run, Scale::Quick, inPlace).dump().find(block) != std::string::npos;
        });
        EXPECT_TRUE(isUsed) << block;
    }
}

/// Runs that are equal but for their name are trained once: the tables of the thesis have their small runs in common.
TEST(Recipes, TheQuickRunsOfTheThesisAreShared) {
    const Recipe first = readRecipe("thesis-6.1");
    for (const auto scale : {Scale::Quick, Scale::Full})
        for (const char* id : {"thesis-6.2", "thesis-6.3", "thesis-figures"}) {
            const Recipe other = readRecipe(id);
            for (const auto& run : first.runs) {
                if (!first.includes(scale, run)) continue;
                ASSERT_NE(other.run(run.name), nullptr) << id << " " << run.name;
                EXPECT_EQ(expandRun(first, run, scale, inPlace), expandRun(other, *other.run(run.name), scale, inPlace))
                    << id << " " << run.name;
            }
        }
}

TEST(Recipes, EveryMeasureOfAColumnIsReachable) {
    for (const auto& id : recipeIds()) {
        const Recipe recipe = readRecipe(id);
        for (const auto& measure : recipe.measures)
            EXPECT_TRUE(std::any_of(recipe.runs.begin(), recipe.runs.end(),
                                    [&](const auto& run) {
                                        return std::find(run.measures.begin(), run.measures.end(), measure.id) !=
                                               run.measures.end();
                                    }))
                << id << ": " << measure.id;
    }
}

TEST(Recipes, EveryRunSpecAndItsVariantAreValid) {
    for (const auto& id : recipeIds()) {
        const Recipe recipe = readRecipe(id);
        for (const auto scale : {Scale::Full, Scale::Quick})
            for (const auto& run : recipe.runs) {
                if (!recipe.needsTraining(run)) continue;
                SCOPED_TRACE(id + ", " + run.name + (scale == Scale::Quick ? ", quick" : ""));
                EXPECT_NO_THROW(VariantSpec::parse(expandRun(recipe, run, scale, inPlace)["variant"], builtinCatalogue()));
                EXPECT_NO_THROW(RunSpec::parse(expandRun(recipe, run, scale, inPlace), builtinCatalogue()));
            }
    }
}

TEST(Recipes, CountsAreThePapers) {
    std::map<std::string, int> differing;
    for (const auto& id : recipeIds()) {
        const Recipe recipe = readRecipe(id);
        for (const auto& run : recipe.runs)
            for (const auto& name : run.measures) {
                const RecipeMeasure& measure = recipe.measure(name);
                const PublishedRow* row = recipe.published.row(run.row);
                if (measure.from != "count" || !row || !row->values.contains(measure.column)) continue;
                const double counted = static_cast<double>(countedParameters(recipe, run, measure)) * measure.scale;
                const auto& column = recipe.published.column(measure.column);
                if (printedText(column, counted) != printedText(column, row->values.at(measure.column)))
                    ++differing[id + ": " + run.row + ", " + column.id];
            }
    }
    // The ones that the remarks speak of: S-36.37, S-4.35, S-27.30; Tables 5 to 7 repeat StarSaber-1.
    EXPECT_THAT(differing, ElementsAre(testing::Pair("starsaber-table1: ReZero, pre-trained, parameters_cmnli", 1),
                                       testing::Pair("starsaber-table1: StarSaber-1, pre-trained, parameters_cmnli", 1),
                                       testing::Pair("starsaber-table1: Transformer, word vectors, parameters_cmnli", 1),
                                       testing::Pair("starsaber-table5: StarSaber-1, parameters_cmnli", 1),
                                       testing::Pair("starsaber-table6: StarSaber-1, parameters_cmnli", 1),
                                       testing::Pair("starsaber-table7: StarSaber-1, parameters_cmnli", 1)));
}

TEST(Recipes, AMatchedControlHasAsManyParameters) {
    const Recipe recipe = readRecipe("eau-grc-table3");
    for (const auto scale : {Scale::Full, Scale::Quick}) {
        const auto parameters = [&](const char* name) {
            Json document = expandRun(recipe, *recipe.run(name), scale, inPlace);
            for (const char* size : {"dims.vocab_src=5893", "dims.vocab_tgt=7853"}) applySet(document, size);
            const ResolvedVariant variant = VariantSpec::parse(document["variant"], builtinCatalogue()).resolve();
            return static_cast<double>(countCost(variant).parameters);
        };
        EXPECT_LT(std::abs(parameters("widened l2k256") / parameters("full l2k256") - 1), 0.0005);
        EXPECT_GT(parameters("widened l2k256"), 1.05 * parameters("baseline l2k256"));
    }
}

TEST(RecipeRuns, LaterAssignmentsWinAndTheQuickOnesComeLast) {
    const Recipe recipe = smallRecipe();
    EXPECT_THAT(
        assignmentsOf(recipe, recipe.runs[0], Scale::Full, inPlace),
        ElementsAre("dims.d=64", "data.train.source=corpus of a", "dims.layers_enc=4", "dims.layers_dec=4", "train.lr=0.2"));
    EXPECT_THAT(
        assignmentsOf(recipe, recipe.runs[0], Scale::Quick, inPlace),
        ElementsAre("dims.d=64", "dims.layers_dec=4", "train.lr=0.2", "data.train.source=corpus of b", "dims.layers_enc=2"));
    EXPECT_THAT(needsOf(recipe, recipe.runs[0], Scale::Full).files, ElementsAre("corpus:a"));
    EXPECT_THAT(needsOf(recipe, recipe.runs[0], Scale::Quick).files, ElementsAre("corpus:b"))
        << "a file that only the full version reads is not asked for";
}

std::vector<std::string> differencesOfAll(const Recipe& recipe, Scale scale) {
    std::vector<const RecipeRun*> runs;
    for (const auto& run : recipe.runs)
        if (recipe.includes(scale, run)) runs.push_back(&run);
    return differencesOf(recipe, scale, runs);
}

TEST(RecipeDifferences, ASentenceIsSaidOfRunsThatItIsTrueOf) {
    Recipe recipe = smallRecipe();
    recipe.differs = {"Always."};
    recipe.choices = {{"Read from a.", {"data.train.source={corpus:a}"}, {}},
                      {"Deep and slow.", {"dims.layers_enc=4", "train.lr=0.2"}, {}},
                      {"Another run.", {}, {"two"}}};
    recipe.quick->differs = {"It is small."};
    EXPECT_THAT(differencesOfAll(recipe, Scale::Full), ElementsAre("Always.", "Read from a.", "Deep and slow."));
    EXPECT_THAT(differencesOfAll(recipe, Scale::Quick),
                ElementsAre("Always.", "It is small.",
                            "Different from the full version: data.train.source={corpus:b}; dims.layers_enc=2."));
}

/// What the quick reports said of the full versions.
TEST(RecipeDifferences, OfQuickVersionsAreTheirOwn) {
    const auto text = [](const char* id, Scale scale) {
        std::string all;
        for (const auto& sentence : differencesOfAll(readRecipe(id), scale)) all += sentence + "\n";
        return all;
    };
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"eau-grc-table2", "bert-base-uncased is used as it is", "8,000 word pieces found in the text"},
        {"eau-grc-table2", "BERT widened to as many parameters", "Without the widened row"},
        {"eau-grc-figure2", "warm-up over 10,000 steps", "warm-up over 200 steps"},
        {"eau-grc-table3", "trained twice", "not with the printed 2e-5"},
        {"eau-grc-table1", "37,000 shared pieces", "data.tokenizer.vocab_size=8000"},
        {"starsaber-table3", "reads the inputs of the test set", "test.json is not read"},
        {"starsaber-table5", "batches of 64", "train.batch.sentences=128"},
        {"thesis-6.1", "39 million parameters", "dims.d=96"}};
    for (const auto& [id, full, quick] : cases) {
        SCOPED_TRACE(id);
        EXPECT_THAT(text(id, Scale::Full), AllOf(HasSubstr(full), testing::Not(HasSubstr(quick))));
        EXPECT_THAT(text(id, Scale::Quick), AllOf(HasSubstr(quick), testing::Not(HasSubstr(full))));
    }
}

TEST(Recipes, WordVectorRowsOfTable3AreTrained) {
    const Recipe recipe = readRecipe("starsaber-table3");
    for (const char* row : {"BiLSTM", "ReZero", "Transformer", "StarSaber"}) {
        int runs = 0;
        for (const auto& run : recipe.runs)
            if (run.row == std::string(row) + ", word vectors") runs += recipe.needsTraining(run) ? 1 : 0;
        EXPECT_EQ(runs, 3) << row;
    }
}

TEST(RecipeRuns, BracesOfJsonAreNoPlaceholders) {
    Recipe recipe = smallRecipe();
    recipe.set = {R"(defaults.residual={"kind":"alpha","init":0})", "train.start.checkpoint={checkpoint:pre train}"};
    recipe.quick.reset();
    recipe.runs[0].use.clear();
    recipe.runs[0].set.clear();
    EXPECT_THAT(
        assignmentsOf(recipe, recipe.runs[0], Scale::Full, inPlace),
        ElementsAre(R"(defaults.residual={"kind":"alpha","init":0})", "train.start.checkpoint=checkpoint of pre train"));
    const RecipeNeeds needs = needsOf(recipe, recipe.runs[0], Scale::Full);
    EXPECT_THAT(needs.runs, ElementsAre("pre train"));
    EXPECT_THAT(needs.files, IsEmpty());
}

TEST(Spread, MeanAndSampleDeviation) {
    const Spread spread = spreadOf({1, 2, 4});
    EXPECT_DOUBLE_EQ(spread.mean, 7.0 / 3);
    EXPECT_NEAR(spread.deviation.value(), 1.5275252316519468, 1e-15);  // of numpy: std([1, 2, 4], ddof=1)
    EXPECT_EQ(spread.n, 3U);
    EXPECT_FALSE(spreadOf({5}).deviation) << "one value has no spread, not a spread of 0";
    EXPECT_THROW(spreadOf({}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
