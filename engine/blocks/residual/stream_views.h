// SPDX-License-Identifier: Apache-2.0
// How many mixtures of streams a sublayer reads.
#pragma once

#include "engine/blocks/options.h"

#include <cstdint>

namespace heddle {

/// One mixture for the whole sublayer, or in attention to the stream itself one each for queries, keys and values.
enum class StreamViews { One, Qkv };
template <>
struct ChoiceWords<StreamViews> {
    static constexpr ChoiceWord<StreamViews> kAll[] = {{"one", StreamViews::One}, {"qkv", StreamViews::Qkv}};
};

inline FieldSchema viewsField() {
    return fields::choice<StreamViews>(
        "views",
        "Whether attention to the stream itself reads one mixture of the streams, or one each for queries, keys and values.");
}

/// The number of mixtures V: those for queries, keys and values, in this order, or one.
inline std::int64_t mixturesOf(const BlockContext& where, StreamViews views) {
    const bool attends = where.sublayer == SublayerName::Self || where.sublayer == SublayerName::Star;
    return attends && views == StreamViews::Qkv ? 3 : 1;
}

}  // namespace heddle
