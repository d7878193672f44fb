// SPDX-License-Identifier: Apache-2.0
// An option of a block that is a choice is an enum, whose words are declared beside it.
#include "engine/blocks/options.h"
#include "engine/base/error.h"
#include "engine/spec/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

enum class Fruit { Pear, Plum, WildApple };
template <>
struct ChoiceWords<Fruit> {
    static constexpr ChoiceWord<Fruit> kAll[] = {
        {"plum", Fruit::Plum}, {"wild_apple", Fruit::WildApple}, {"pear", Fruit::Pear}};
};

namespace {

using testing::ElementsAre;

struct BasketOptions {
    Fruit any{}, some{};
    std::optional<Fruit> perhaps;
};

OptionFields<BasketOptions> basketOptions() {
    return OptionFields<BasketOptions>()
        .add(&BasketOptions::any, fields::choice<Fruit>("any", "Any fruit."))
        .add(&BasketOptions::some, fields::choice("some", {Fruit::WildApple, Fruit::Plum}, "One of two."))
        .add(&BasketOptions::perhaps, fields::derivable(fields::choice<Fruit>("perhaps", "A fruit or none.")));
}

TEST(OptionFields, OffersTheWordsInTheirOrderAndTheFirstAsTheDefault) {
    const std::vector<FieldSchema> schema = basketOptions().schema();
    EXPECT_EQ(schema[0].type, FieldSchema::Type::Choice);
    EXPECT_THAT(schema[0].choices, ElementsAre("plum", "wild_apple", "pear"));
    EXPECT_EQ(schema[0].defaultValue, "plum");
    EXPECT_THAT(schema[1].choices, ElementsAre("wild_apple", "plum"));
    EXPECT_EQ(schema[1].defaultValue, "wild_apple");
}

TEST(OptionFields, ReadsAWordAsItsValue) {
    const BasketOptions read = basketOptions().read({{"any", "wild_apple"}, {"some", "plum"}, {"perhaps", "pear"}});
    EXPECT_EQ(read.any, Fruit::WildApple);
    EXPECT_EQ(read.some, Fruit::Plum);
    EXPECT_EQ(read.perhaps, Fruit::Pear);
    EXPECT_FALSE(basketOptions().read({{"any", "plum"}, {"some", "plum"}, {"perhaps", nullptr}}).perhaps);
    EXPECT_THROW(basketOptions().read({{"any", "Plum"}, {"some", "plum"}, {"perhaps", nullptr}}), std::bad_optional_access);
}

/// Each word of the option gives a formula of its own; no word is read as another.
TEST(OptionFields, EveryActivationHasItsOwnFormula) {
    for (const auto& [slot, id] : {std::pair{"ffn", "mlp"}, {"ffn", "glu"}, {"head", "mlm"}, {"parallel", "sdu"}}) {
        const BlockDescriptor& block = builtinCatalogue().at(slot, id);
        Json options = Json::object();
        for (const FieldSchema& field : block.parameters) options[field.key] = field.defaultValue;
        std::set<std::string> formulas;
        const FieldSchema& act = block.parameters.front();
        for (const std::string& word : act.choices) {
            options["act"] = word;
            formulas.insert(block.formulaWith(options));
        }
        EXPECT_EQ(formulas.size(), act.choices.size()) << slot << " " << id;
    }
}

TEST(OptionFields, AFormulaNamesTheActivation) {
    EXPECT_EQ(activated(Activation::GeluTanh, "W x"), "GELU_tanh(W x)");
    EXPECT_EQ(activated(Activation::Hardtanh, "x"), "hardtanh(x)");
    EXPECT_EQ(activated(Activation::None, "x"), "(x)");
}

TEST(ChoiceWords, AValueWithoutAWordIsAnErrorOfOurs) {
    EXPECT_EQ(wordOf(Fruit::WildApple), "wild_apple");
    EXPECT_THROW(wordOf(static_cast<Fruit>(17)), Error);
}

}  // namespace
}  // namespace heddle
