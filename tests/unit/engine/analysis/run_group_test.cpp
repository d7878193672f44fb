// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/run_group.h"

#include "engine/analysis/comparable.h"
#include "engine/analysis/spread.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"
#include "engine/spec/run_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string recorded(const std::string& changes) {
    Json document = R"({"variant":{"preset":"eau-base"},"data":{"train":{"source":"/a.en","target":"/a.de"}},"seed":1})"_json;
    document.merge_patch(Json::parse(changes));
    return RunSpec::parse(document, builtinCatalogue()).toJson().dump();
}

/// The key of a run that was trained with these data.
std::string keyOf(const std::string& changes, const std::vector<std::string>& data = {"d1", "d2"}) {
    const std::string spec = recorded(changes);
    return groupKey(spec, RunSpec::parse(Json::parse(spec), builtinCatalogue()).hash(data), [&] { return data; });
}

TEST(RunGroup, IsEqualInAllButSeedNameDeviceAndThreads) {
    const std::string base = keyOf("{}");
    for (const char* same :
         {R"({"seed":2})", R"({"name":"other"})", R"({"train":{"device":"cpu"}})", R"({"train":{"threads":2}})"})
        EXPECT_EQ(keyOf(same), base) << same;
    for (const char* other : {R"({"train":{"lr":0.01}})", R"({"train":{"steps":50}})", R"({"evaluate":{"every_epochs":2}})",
                              R"({"variant":{"dims":{"f":99}}})"})
        EXPECT_NE(keyOf(other), base) << other;
    EXPECT_NE(keyOf("{}", {"d1", "d3"}), base) << "other contents of a file with the same name";
    EXPECT_EQ(keyOf(R"({"data":{"train":{"source":"/copy.en"}}})"), base) << "the same contents under another name";
}

TEST(RunGroup, BeforeItsDataAreReadARunIsWhatItsSpecSays) {
    const std::string planned = groupKey(recorded("{}"), "", {});
    EXPECT_EQ(planned, plannedKey(recorded("{}")));
    EXPECT_EQ(plannedKey(recorded(R"({"seed":3,"name":"x","train":{"device":"cpu","threads":2}})")), planned);
    EXPECT_NE(plannedKey(recorded(R"({"train":{"lr":0.01}})")), planned);
    EXPECT_NE(plannedKey(recorded(R"({"data":{"train":{"source":"/b.en"}}})")), planned);
    EXPECT_NE(plannedKey("no JSON"), plannedKey("nor this"));
    EXPECT_EQ(groupKey(R"({"threads":"of another program"})", "hash", [] { return std::vector<std::string>(); }), "hash");
}

TEST(RunGroup, EverySeedCountsOnceWithItsNewestCompletedRun) {
    const GroupMember first{"a", 1, 10, true, false}, again{"b", 1, 20, true, false}, unfinished{"c", 1, 30, false, false},
        second{"d", 2, 5, true, false}, changed{"e", 3, 40, true, true}, running{"f", 4, 50, false, false};
    EXPECT_THAT(countedRuns({first, again, unfinished, second, changed, running}), ElementsAre(1U, 3U));
    EXPECT_THAT(countedRuns({first, first}), ElementsAre(0U)) << "a run in two databases";
    EXPECT_THAT(countedRuns({unfinished, running}), ElementsAre(0U, 1U)) << "none is completed";
    EXPECT_THAT(countedRuns({changed, running}), ElementsAre(1U));
    EXPECT_THAT(countedRuns({changed, changed}), IsEmpty()) << "they make no mean among themselves";
    EXPECT_THAT(countedRuns({changed}), ElementsAre(0U)) << "alone it stands for itself";
}

TEST(RunGroup, IsCalledWhatTheNamesOfItsSeedsShare) {
    EXPECT_EQ(sharedName({"eau-base-s1", "eau-base-s2", "eau-base-s12"}), "eau-base");
    EXPECT_EQ(sharedName({"full 10", "full 11"}), "full");
    EXPECT_EQ(sharedName({"deep, seed 1", "deep, seed 2"}), "deep");
    EXPECT_EQ(sharedName({"d128", "d128"}), "d128") << "one name is kept whole";
    EXPECT_EQ(sharedName({"mrpc", "mlm", "m3"}), "mrpc") << "one letter is no name";
    EXPECT_EQ(sharedName({"aa\xC3\xA4", "aa\xC3\xB6"}), "aa") << "no half of a character";
    EXPECT_EQ(sharedName({}), "");
}

TEST(RunGroup, IsSetApartByTheFewestSettings) {
    const auto document = [](double lr, int steps, int f) {
        return Json{{"train", {{"lr", lr}, {"steps", steps}}}, {"variant", {{"dims", {{"f", f}}}}}};
    };
    using All = std::vector<std::vector<Distinction>>;
    EXPECT_EQ(setApart({document(0.1, 5, 1), document(0.2, 6, 2)}, {{}, {}}),
              (All{{{"train.lr", 0.1, ""}}, {{"train.lr", 0.2, ""}}}));
    EXPECT_EQ(setApart({document(0.1, 5, 1), document(0.2, 5, 1), document(0.2, 6, 1)}, {{}, {}, {}}),
              (All{{{"train.lr", 0.1, ""}, {"train.steps", 5, ""}},
                   {{"train.lr", 0.2, ""}, {"train.steps", 5, ""}},
                   {{"train.lr", 0.2, ""}, {"train.steps", 6, ""}}}));
    EXPECT_EQ(setApart({document(1, 1, 1), document(1, 1, 1)}, {{}, {}}), All(2));
    EXPECT_EQ(shortPath("train.lr"), "lr");
    EXPECT_EQ(shortPath("variant.dims.f"), "dims.f");
    EXPECT_EQ(shortPath("seed"), "seed");
}

/// One group for each: the names of its runs, and its learning rate and steps.
struct Named {
    std::vector<std::string> names;
    double lr;
    int steps;
};
std::vector<std::string> namesOf(const std::vector<Named>& all, std::vector<std::size_t>* asked = nullptr) {
    std::vector<GroupToName> groups;
    for (std::size_t i = 0; i < all.size(); ++i) groups.push_back({"key-12345" + std::to_string(i), all[i].names, "run"});
    return groupNames(groups, [&](std::size_t i) {
        if (asked) asked->push_back(i);
        return std::pair(Json{{"train", {{"lr", all[i].lr}, {"steps", all[i].steps}}}}, FileContents{});
    });
}

TEST(RunGroup, WithoutANameItIsCalledByWhatSetsItApart) {
    EXPECT_THAT(namesOf({{{"", ""}, 0.1, 5}, {{""}, 0.2, 5}, {{""}, 0.2, 6}}),
                ElementsAre("lr 0.1", "lr 0.2 · steps 5", "steps 6"));
    EXPECT_THAT(namesOf({{{"base-s1", "base-s2"}, 0.1, 5}, {{""}, 0.1, 6}, {{"base-s1", "base-s3"}, 0.2, 5}}),
                ElementsAre("base · lr 0.1", "steps 6", "base · lr 0.2"));
    EXPECT_THAT(namesOf({{{"", "base-s2"}, 0.1, 5}}), ElementsAre("base-s2")) << "the name that one of its runs has";
    EXPECT_THAT(namesOf({{{""}, 0.1, 5}}), ElementsAre("run")) << "alone nothing sets it apart";
    EXPECT_THAT(namesOf({{{""}, 0.1, 5}, {{""}, 0.1, 5}}), ElementsAre("run · 123450", "run · 123451"));
}

TEST(RunGroup, SettingsAreReadOnlyForWhatMustBeSetApart) {
    std::vector<std::size_t> asked;
    EXPECT_THAT(namesOf({{{"a"}, 1, 1}, {{"b"}, 1, 1}, {{"c"}, 1, 1}, {{"b"}, 2, 1}}, &asked),
                ElementsAre("a", "b · lr 1.0", "c", "b · lr 2.0"));
    EXPECT_THAT(asked, ElementsAre(1U, 3U));
}

TEST(RunGroup, FilesAreComparedByTheirContents) {
    const auto document = [](const char* file) { return Json{{"data", {{"valid", {{"source", file}}}}}}; };
    const std::string path = "data.valid.source";
    EXPECT_THAT(diffDocuments({document("a"), document("b")}, {{{path, "1"}}, {{path, "1"}}}), IsEmpty());
    const auto differences = diffDocuments({document("a"), document("a")}, {{{path, "1"}}, {{path, "2"}}});
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_THAT(differences[0].contents, ElementsAre("1", "2"));
    EXPECT_EQ(joinLayers(differences)[0].contents, differences[0].contents);
    EXPECT_EQ(diffDocuments({document("a"), document("b")}, {{{path, "1"}}, {}}).size(), 1U) << "one is not known";
    EXPECT_EQ(setApart({document("a"), document("a")}, {{{path, "1"}}, {{path, "2"}}})[1][0].content, "2");
}

TEST(RunGroup, RecordedHashesAreOfTheFilesInTheirOrder) {
    const auto contents = [](const std::string& changes, const std::vector<std::string>& hashes) {
        return fileContents(RunSpec::parse(Json::parse(recorded(changes)), builtinCatalogue()), hashes);
    };
    const FileContents both{{"data.train.source", "1"}, {"data.train.target", "2"}};
    EXPECT_EQ(contents("{}", {"1", "2"}), both);
    EXPECT_EQ(contents("{}", {"1"}), FileContents()) << "of another version";
    EXPECT_EQ(contents("{}", {"1", "2", "3"}), both) << "a third has no known place";
    const FileContents all = contents(R"({"data":{"test":{"source":"/t.en","target":"/t.de"},"tokenizer":{"file":"/t.json",
        "shared":true}}})",
                                      {"1", "2", "3", "4", "5"});
    EXPECT_EQ(all.at("data.test.target"), "4");
    EXPECT_EQ(all.at("data.tokenizer.file"), "5");
    EXPECT_EQ(splitContent(all, "test"), "3\n4\n");
    EXPECT_EQ(splitContent(all, "valid"), "1\n2\n") << "drawn from the training files";
    EXPECT_EQ(averagedSplit("test", 5), "test-average-5");
    EXPECT_EQ(splitContent(all, averagedSplit("test", 5)), "3\n4\n");
}

TEST(Spread, HasARange) {
    const Spread spread = spreadOf({3, 1, 2});
    EXPECT_EQ(spread.low, 1);
    EXPECT_EQ(spread.high, 3);
}

TEST(Comparable, ValuesOfOtherCountsRulesOrDataAreNot) {
    const Measured whole{1014, "bleu:13a", "d"};
    EXPECT_THAT(unlike(whole, whole), IsEmpty());
    EXPECT_THAT(unlike({10, "bleu:13a", "d"}, whole), ElementsAre(Unlike::Count));
    EXPECT_THAT(unlike({1014, "bleu:intl", "e"}, whole), ElementsAre(Unlike::Signature, Unlike::Data));
    EXPECT_THAT(unlike({1014, "bleu:13a", ""}, whole), IsEmpty()) << "what is not known is not told";
}

TEST(Comparable, AMovingAverageIsASettingOfTrainingAndNotOfTheMetric) {
    const Measured plain{1014, "bleu:13a|beam:4", "d"};
    EXPECT_THAT(unlike({1014, "bleu:13a|beam:4|ema:0.999", "d"}, plain), IsEmpty());
    EXPECT_THAT(unlike(plain, {1014, "bleu:13a|beam:4|ema:0.999", "d"}), IsEmpty());
    EXPECT_THAT(unlike({1014, "bleu:13a|beam:4|ema:0.9", "d"}, {1014, "bleu:13a|beam:4|ema:0.99", "d"}), IsEmpty());
    EXPECT_THAT(unlike({1014, "ema:0.999", "d"}, {1014, "", "d"}), IsEmpty()) << "a metric without a rule";
    EXPECT_THAT(unlike({1014, "bleu:13a|beam:1|ema:0.999", "d"}, plain), ElementsAre(Unlike::Signature));
    EXPECT_THAT(unlike({1014, "bleu:13a|beam:4|averaged 5 checkpoints", "d"}, plain), ElementsAre(Unlike::Signature));
    EXPECT_THAT(unlike({1014, "bleu:13a|schema:4", "d"}, {1014, "bleu:13a", "d"}), ElementsAre(Unlike::Signature));
}

TEST(PlannedGroups, ARunThatWaitsStandsWithTheNewestOfItsPlan) {
    PlannedGroups groups;
    groups.add("planned a", "group 1", 10);
    groups.add("planned a", "group 2", 30);  // the data were exchanged
    groups.add("planned a", "group 1", 20);
    EXPECT_EQ(groups.of("planned a"), "group 2");
    EXPECT_EQ(groups.of("planned b"), "planned b") << "no run of it has begun";
}

}  // namespace
}  // namespace heddle
