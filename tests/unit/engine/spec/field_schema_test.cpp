// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/field_schema.h"

#include "engine/base/error.h"
#include "engine/spec/field_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using namespace schema;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;

const FieldSchema& sample() {
    static const FieldSchema made = [] {
        FieldSchema list = field("sizes", FieldSchema::Type::List, "Sizes.");
        list.fields = {integer("size", {1, 9}, "", "One.")};
        FieldSchema words = withDefault(integer("words", {1, 100}, "words", "How many."), "from_data");
        words.alsoAccepts = {"from_data"};
        return object(
            "", "A sample.",
            {withDefault(flag("on", "Whether."), true), withDefault(integer("steps", {0, 64}, "steps", "How long."), 8),
             withDefault(number("rate", {0, 1}, "", "How fast."), 0.5),
             withDefault(choice("mode", {"constant", "noam"}, "Which."), "constant"), text("name", "Name."), words, list,
             derivable(integer("width", {1, 64}, "", "Width.")),
             object("optimizer", "How.",
                    {withDefault(choice("kind", {"adam", "adamw"}, "Which."), "adamw"),
                     withDefault(number("decay", {0, 1}, "", "Decay."), 0.01)})});
    }();
    return made;
}

std::vector<Problem> valueProblemsOf(const Json& value) {
    std::vector<Problem> problems;
    validate(sample(), value, "train", problems);
    return problems;
}

std::string onlyProblem(const Json& value) {
    const auto problems = valueProblemsOf(value);
    EXPECT_EQ(problems.size(), 1u) << value;
    return problems.empty() ? "" : problems[0].path + "|" + problems[0].what + "|" + problems[0].next;
}

TEST(Validate, AcceptsWhatFits) {
    EXPECT_THAT(valueProblemsOf(Json::object()), IsEmpty());
    EXPECT_THAT(valueProblemsOf({{"on", false},
                                 {"steps", 64},
                                 {"rate", 1},
                                 {"mode", "noam"},
                                 {"name", ""},
                                 {"words", "from_data"},
                                 {"sizes", {1, 9}},
                                 {"width", nullptr},
                                 {"optimizer", {{"kind", "adam"}}}}),
                IsEmpty());
    EXPECT_THAT(valueProblemsOf({{"steps", 2e1}, {"words", 7}, {"optimizer", "adam"}}), IsEmpty());
}

TEST(Validate, NamesPathReasonAndRemedy) {
    EXPECT_EQ(onlyProblem({{"stps", 3}}),
              "train.stps|unknown key \"stps\"|did you mean \"steps\"? Known: on, steps, rate, mode, "
              "name, words, sizes, width, optimizer");
    EXPECT_EQ(onlyProblem({{"steps", 65}}), "train.steps|65 is out of range|use a whole number from 0 to 64 (steps)");
    EXPECT_EQ(onlyProblem({{"steps", 1.5}}), "train.steps|1.5 is of the wrong type|use a whole number from 0 to 64 (steps)");
    EXPECT_EQ(onlyProblem({{"steps", 1e300}}),
              "train.steps|1e+300 is of the wrong type|use a whole number from 0 to 64 (steps)");
    EXPECT_EQ(onlyProblem({{"rate", "fast"}}), "train.rate|\"fast\" is of the wrong type|use a number from 0 to 1");
    EXPECT_EQ(onlyProblem({{"mode", "naom"}}),
              "train.mode|unknown value \"naom\"|did you mean \"noam\"? Known: constant, noam");
    EXPECT_EQ(onlyProblem({{"mode", "x"}}), "train.mode|unknown value \"x\"|Known: constant, noam");
    EXPECT_EQ(onlyProblem({{"words", "from data"}}),
              "train.words|\"from data\" is of the wrong type|use a whole number from 1 to 100 (words) or \"from_data\"");
    EXPECT_EQ(onlyProblem({{"width", 0}}), "train.width|0 is out of range|use a whole number from 1 to 64 or null");
    EXPECT_EQ(onlyProblem({{"sizes", {1, 0}}}), "train.sizes.1|0 is out of range|use a whole number from 1 to 9");
    EXPECT_EQ(onlyProblem({{"optimizer", {{"decay", 2}}}}), "train.optimizer.decay|2 is out of range|use a number from 0 to 1");
    EXPECT_EQ(onlyProblem({{"optimizer", "sgd"}}), "train.optimizer.kind|unknown value \"sgd\"|Known: adam, adamw");
    EXPECT_EQ(onlyProblem({{"on", nullptr}}), "train.on|null is of the wrong type|use true or false");
    EXPECT_EQ(onlyProblem(7), "train|7 is of the wrong type|use an object");
}

TEST(Validate, ReportsEverythingAndCutsLongValues) {
    EXPECT_EQ(valueProblemsOf({{"steps", -1}, {"rate", 2}, {"nope", 0}, {"optimizer", {{"decay", -1}}}}).size(), 4u);
    const auto message = onlyProblem({{"steps", std::string(5000, 'x')}});
    EXPECT_LT(message.size(), 200u);
}

TEST(Defaults, FillAndRemoveAreInverse) {
    const Json all = withDefaults(sample(), Json::object());
    EXPECT_EQ(all, Json::parse(R"({"on":true,"steps":8,"rate":0.5,"mode":"constant","words":"from_data","width":null,
                                   "optimizer":{"kind":"adamw","decay":0.01}})"));
    EXPECT_EQ(withoutDefaults(sample(), all), Json::object());
    const Json given = Json::parse(R"({"steps":9,"name":"a","width":4,"sizes":[1],"optimizer":{"decay":0.5}})");
    EXPECT_EQ(withoutDefaults(sample(), withDefaults(sample(), given)), given);
    EXPECT_EQ(withDefaults(sample(), withDefaults(sample(), given)), withDefaults(sample(), given));
}

TEST(Defaults, EqualNumbersAreEqualWhateverTheirSpelling) {
    EXPECT_EQ(withoutDefaults(sample(), {{"steps", 8.0}, {"rate", 5e-1}}), Json::object());
}

TEST(Defaults, BareStringIsShortForKind) {
    EXPECT_EQ(withDefaults(sample(), {{"optimizer", "adam"}})["optimizer"], Json({{"kind", "adam"}, {"decay", 0.01}}));
    EXPECT_EQ(withoutDefaults(sample(), {{"optimizer", "adamw"}}), Json::object());
}

TEST(ThrowIfAny, ListsEveryProblem) {
    EXPECT_NO_THROW(throwIfAny({}, "run.json"));
    EXPECT_THAT(
        [] {
            throwIfAny({{"dims.d", "0 is out of range", "use more"}}, "run.json");
        },
        ThrowsMessage<Error>("0 is out of range (run.json, dims.d): use more"));
    EXPECT_THAT(
        [] {
            throwIfAny({{"dims.d", "bad", "better"}, {"dims.f", "worse", "best"}}, "run.json");
        },
        AllOf(Throws<Error>(Property(&Error::code, ErrorCode::InvalidInput)),
              ThrowsMessage<Error>(AllOf(HasSubstr("2 problems (run.json)"), HasSubstr("\n  dims.d: bad: better"),
                                         HasSubstr("\n  dims.f: worse: best")))));
}

}  // namespace
}  // namespace heddle
