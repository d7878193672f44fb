// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/label_names.h"

#include "engine/base/unicode.h"
#include "engine/data/readers/text_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle {
namespace {

/// "3.0" → "3"; other labels as they are.
std::string_view withoutZeroFraction(std::string_view label) {
    const std::size_t point = label.find('.');
    const std::size_t begin = label.starts_with('-') ? 1 : 0;
    if (point == std::string_view::npos || point == begin) return label;
    const bool isWhole = label.substr(begin, point - begin).find_first_not_of("0123456789") == std::string_view::npos;
    const bool isZero = label.substr(point + 1).find_first_not_of('0') == std::string_view::npos;
    return isWhole && isZero ? label.substr(0, point) : label;
}

}  // namespace

std::string plainLabel(std::string_view label) {
    const std::string joined = fmt::format("{}", fmt::join(splitUnicodeSpace(label), " "));
    return std::string(withoutZeroFraction(joined));
}

std::map<std::string, std::set<std::string>> labelSpellings(const std::vector<Example>& examples) {
    std::map<std::string, std::set<std::string>> spellings;
    for (const Example& example : examples)
        if (!example.label.empty()) spellings[plainLabel(example.label)].insert(example.label);
    return spellings;
}

const std::string& className(const std::pair<const std::string, std::set<std::string>>& label) {
    return label.second.size() == 1 ? *label.second.begin() : label.first;
}

std::vector<std::string> spellingNotes(const std::vector<Example>& examples) {
    std::vector<std::string> notes;
    for (const auto& [plain, spellings] : labelSpellings(examples)) {
        if (spellings.size() < 2) continue;
        std::vector<std::string> shown;
        for (const std::string& spelling : spellings) shown.push_back(fmt::format("\"{}\"", safeExcerpt(spelling)));
        notes.push_back(fmt::format("the labels {} are one class, \"{}\"", fmt::join(shown, " and "), safeExcerpt(plain)));
    }
    return notes;
}

}  // namespace heddle
