// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/layer_pattern.h"

#include <charconv>
#include <string_view>

namespace heddle {
namespace {

/// "3" → 3; nothing for anything that is not written so.
std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t number = -1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number >= 0 && std::to_string(number) == text ? std::optional(number) : std::nullopt;
}

}  // namespace

bool LayerPattern::holds(std::int64_t layer) const {
    return step == 0 ? layer == first : layer >= first && (layer - first) % step == 0;
}

std::optional<LayerPattern> layerPattern(const std::string& text) {
    const auto colons = text.find("::");
    const auto first = wholeNumber(std::string_view(text).substr(0, colons));
    if (!first) return std::nullopt;
    if (colons == std::string::npos) return LayerPattern{*first, 0};
    const auto step = wholeNumber(std::string_view(text).substr(colons + 2));
    return step && *step > 0 ? std::optional(LayerPattern{*first, *step}) : std::nullopt;
}

std::vector<std::pair<std::string, Json>> exceptionsOf(const Json& layers, std::int64_t layer) {
    std::vector<std::pair<std::string, Json>> found;
    const std::string own = std::to_string(layer);
    for (const auto& [key, sublayers] : layers.items())
        if (const auto pattern = layerPattern(key); key != own && pattern && pattern->holds(layer))
            found.emplace_back(key, sublayers);
    if (const auto alone = layers.find(own); alone != layers.end()) found.emplace_back(own, *alone);
    return found;
}

}  // namespace heddle
