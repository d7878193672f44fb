// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/module_path.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <cstdint>

namespace heddle {
namespace {

constexpr int kOfStack = 1, kOfPartOfStack = 2, kOfLayer = 3, kOfSlot = 5;  // words between dots

bool isInStack(const std::string& path) { return path.starts_with("encoder.") || path.starts_with("decoder."); }
bool isInLayer(const std::string& path) { return path.find(".layers.") != std::string::npos; }

std::string firstWords(const std::string& path, int words) {
    std::size_t end = 0;
    while (words-- > 0 && end != std::string::npos) end = path.find('.', end == 0 ? 0 : end + 1);
    return path.substr(0, end);
}

/// Sort key of a path component: known words by their place in the model, then numbers, then other words alphabetically.
struct Word {
    std::size_t rank = 0;
    std::int64_t number = 0;
    std::string text;
    auto operator<=>(const Word&) const = default;
};

Word wordOf(const std::string& text) {
    static const std::array<const char*, 10> kOrder{"embed", "position", "encoder", "decoder", "head",
                                                    "self",  "star",     "cross",   "ffn",     "ffn2"};
    const auto known = std::find(kOrder.begin(), kOrder.end(), text);
    if (known != kOrder.end()) return {static_cast<std::size_t>(known - kOrder.begin()), 0, ""};
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isNumber = error == std::errc() && end == text.data() + text.size();
    return {kOrder.size(), isNumber ? number : -1, text};
}

std::vector<Word> pathWordsOf(const std::string& path) {
    std::vector<Word> words;
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t to = std::min(path.find('.', from), path.size());
        words.push_back(wordOf(path.substr(from, to - from)));
        from = to + 1;
    }
    return words;
}

}  // namespace

std::string modulePath(const std::string& parameter) {
    if (!isInStack(parameter)) return firstWords(parameter, 1);
    return firstWords(parameter, isInLayer(parameter) ? kOfSlot : kOfPartOfStack);
}

std::vector<std::string> enclosingPaths(const std::string& parameter) {
    std::vector<std::string> paths;
    if (isInStack(parameter)) paths.push_back(firstWords(parameter, kOfStack));
    if (isInStack(parameter) && isInLayer(parameter)) paths.push_back(firstWords(parameter, kOfLayer));
    paths.push_back(modulePath(parameter));
    return paths;
}

bool comesBefore(const std::string& a, const std::string& b) { return pathWordsOf(a) < pathWordsOf(b); }

}  // namespace heddle
