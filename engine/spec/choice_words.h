// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/check.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// A value of an enum and the word that names it in spec files.
template <class Enum>
struct ChoiceWord {
    std::string_view word;
    Enum value;
};

/// The words of an enum, in the order in which users read them; beside the enum stands
///
///   template <>
///   struct ChoiceWords<OptimizerKind> {
///       static constexpr ChoiceWord<OptimizerKind> kAll[] = {{"adam", OptimizerKind::Adam}, {"adamw", OptimizerKind::AdamW}};
///   };
template <class Enum>
struct ChoiceWords;

/// Returns the word of an enum's value. Every value must have one.
template <class Enum>
std::string wordOf(Enum value) {
    const ChoiceWord<Enum>* found = nullptr;
    for (const auto& one : ChoiceWords<Enum>::kAll)
        if (one.value == value) found = &one;
    HEDDLE_CHECK(found != nullptr);  // a word left out would be stored and shown as an empty one
    return std::string(found->word);
}

/// Nothing for a word that is not of the enum.
template <class Enum>
std::optional<Enum> choiceNamed(std::string_view word) {
    for (const auto& one : ChoiceWords<Enum>::kAll)
        if (one.word == word) return one.value;
    return std::nullopt;
}

template <class Enum>
std::vector<std::string> wordsOf() {
    std::vector<std::string> words;
    for (const auto& one : ChoiceWords<Enum>::kAll) words.emplace_back(one.word);
    return words;
}

}  // namespace heddle
