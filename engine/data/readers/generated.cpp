// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/generated.h"

#include "engine/base/error.h"
#include "engine/base/suggestion.h"
#include "engine/data/batching/shuffle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle {
namespace {

constexpr std::uint32_t kGeneratePurpose = 4;  // distinct from those of the batches
constexpr std::int64_t kPositionTags = 8;

using WordIds = std::vector<std::int64_t>;

std::string text(const WordIds& words) {
    std::vector<std::string> names;
    for (const std::int64_t word : words) names.push_back(fmt::format("w{}", word));
    return fmt::format("{}", fmt::join(names, " "));
}

class Generator {
public:
    Generator(const GeneratedSpec& spec, ShuffleRandom random) : spec_(spec), random_(random) {}

    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(bound)));
    }

    WordIds words(std::int64_t atLeast) {
        const std::int64_t shortest = std::max(spec_.shortest, atLeast), longest = std::max(spec_.longest, shortest);
        WordIds drawn(static_cast<std::size_t>(shortest + below(longest - shortest + 1)));
        for (auto& word : drawn) word = below(spec_.words);
        return drawn;
    }

    Example copied() {
        return pair([](WordIds&) {});
    }
    Example reversed() {
        return pair([](WordIds& words) { std::reverse(words.begin(), words.end()); });
    }
    Example sorted() {
        return pair([](WordIds& words) { std::sort(words.begin(), words.end()); });
    }

    Example tagged() {
        Example example;
        for (const std::int64_t word : words(1)) {
            example.tags.push_back(fmt::format("p{}", static_cast<std::int64_t>(example.words.size()) % kPositionTags));
            example.words.push_back(fmt::format("w{}", word));
        }
        return example;
    }

    /// Kinds are even and odd words. Both classes are equally likely; all other words are of random kind, so that only the two
    /// words determine the class.
    Example agreement() {
        WordIds words = this->words(spec_.distance + 1);
        const auto last = static_cast<std::int64_t>(words.size()) - spec_.distance;
        const auto at = static_cast<std::size_t>(below(last)), other = at + static_cast<std::size_t>(spec_.distance);
        const bool agrees = below(2) == 1;
        if ((words[at] % 2 == words[other] % 2) != agrees) words[other] ^= 1;
        if (words[other] >= spec_.words) words[other] -= 2;
        Example example;
        example.first = text({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at)});
        example.first += (at > 0 ? " mark " : "mark ") + text({words.begin() + static_cast<std::ptrdiff_t>(at), words.end()});
        example.label = agrees ? "agrees" : "differs";
        return example;
    }

private:
    /// Words, and what `change` makes of them.
    template <typename Change>
    Example pair(Change change) {
        WordIds words = this->words(1);
        Example example;
        example.first = text(words);
        change(words);
        example.second = text(words);
        return example;
    }

    const GeneratedSpec& spec_;
    ShuffleRandom random_;
};

/// A format, and how the next example of it is drawn.
struct Recipe {
    GeneratedFormat format;
    Example (Generator::*draw)();
};

const std::vector<Recipe>& recipes() {
    static const std::vector<Recipe> kRecipes{
        {{"generated/agreement", "classify", "Do two words, a given distance apart, agree?", {"differs", "agrees"}},
         &Generator::agreement},
        {{"generated/copy", "translation", "Write the words again.", {}}, &Generator::copied},
        {{"generated/position",
          "tag",
          "Number the words from the left, modulo 8.",
          {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"}},
         &Generator::tagged},
        {{"generated/reverse", "translation", "Write the words backwards.", {}}, &Generator::reversed},
        {{"generated/sort", "translation", "Write the words in order.", {}}, &Generator::sorted}};
    return kRecipes;
}

/// Throws Error(InvalidInput) with the nearest id for an unknown one.
const Recipe& recipeOf(const std::string& id) {
    std::vector<std::string> known;
    for (const Recipe& recipe : recipes()) {
        if (recipe.format.id == id) return recipe;
        known.push_back(recipe.format.id);
    }
    throwInvalid(fmt::format("unknown format \"{}\"", id), "data.format", suggestion(id, known));
}

void check(const GeneratedSpec& spec) {
    if (spec.shortest > spec.longest)
        throwInvalid(fmt::format("at least {} and at most {} words per example", spec.shortest, spec.longest),
                     "data.generated.shortest", "use at most data.generated.longest");
}

}  // namespace

const GeneratedFormat& generatedFormat(const std::string& id) { return recipeOf(id).format; }

std::vector<Example> generateExamples(const std::string& id, const GeneratedSpec& spec, const std::string& split) {
    const Recipe& recipe = recipeOf(id);
    check(spec);
    const std::int64_t count = split == "train" ? spec.train : split == "valid" ? spec.valid : spec.test;
    const std::uint64_t number = split == "train" ? 0 : split == "valid" ? 1 : 2;
    Generator generator(spec, ShuffleRandom(spec.seed, number, kGeneratePurpose));
    std::vector<Example> examples;
    for (std::int64_t i = 0; i < count; ++i) examples.push_back((generator.*recipe.draw)());
    return examples;
}

}  // namespace heddle
