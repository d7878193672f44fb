// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

/// The largest seed that a file can name. A run whose seed is not told gets a larger one.
inline constexpr std::uint64_t kLargestNamedSeed = std::uint64_t{1} << 53;

/// What stands in place of a run spec where another program trained the run ("heddle.foreign/1", resources/help/foreign.md).
/// There are no weights, and the hashes of variant and data cannot be known: runs are of one group where the user says so.
struct ForeignSpec {
    std::string name;
    std::optional<std::uint64_t> seed;  ///< nothing: the source names none
    std::string group;                  ///< declared by the user; empty: none
    bool paired = false;                ///< the user declares: equal seeds of two groups are pairs
    Json config = Json::object();       ///< what the source says about the run's settings
    std::string file, format, sha256;   ///< the source: name without folder, "csv", hash of what was read
    std::string run;                    ///< how the source calls the run

    Json toJson() const;
    /// Config, group and source as a document whose paths a comparison shows.
    Json settings() const;
    /// Equal for runs that are seeds of one experiment: with equal declared group and config, or, where no group is declared,
    /// with equal config and source. Starts with "foreign ", as no key of an own run does.
    std::string groupKey() const;
};

/// Reads the spec of a recorded run; nothing where it is not foreign, or damaged.
std::optional<ForeignSpec> foreignSpec(const std::string& spec);
std::optional<ForeignSpec> foreignSpec(const Json& document);

/// Throws Error(Usage) for the spec of an imported run, which has no weights and cannot be trained. `where`: the run.
void requireOwn(const Json& document, const std::string& where);
void requireOwn(const std::string& spec, const std::string& where);

}  // namespace heddle
