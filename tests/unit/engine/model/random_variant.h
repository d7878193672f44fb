// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <cstdint>
#include <random>

namespace heddle::testing_support {

/// Draws variants from everything that the catalogue offers: topology, blocks of all slots, their parameters, overrides of
/// sublayers and layers; small sizes, 13 words.
class VariantDraw {
public:
    explicit VariantDraw(std::uint64_t seed) : random_(seed) {}
    /// A valid document. Drawn and thrown away until one is.
    Json valid();
    std::int64_t drawn() const { return drawn_; }  ///< documents so far, invalid ones too

private:
    Json document();
    Json dims();
    Json sublayerSlots(const std::string& sublayer, double chance);
    Json block(const std::string& slot);
    Json value(const FieldSchema& field);
    bool happens(double chance) { return std::uniform_real_distribution<>(0, 1)(random_) < chance; }
    std::int64_t number(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }

    std::mt19937_64 random_;
    std::int64_t drawn_ = 0;
};

}  // namespace heddle::testing_support
