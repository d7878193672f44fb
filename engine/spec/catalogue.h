// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/block_descriptor.h"

#include <string>
#include <vector>

namespace heddle {

/// All blocks of a program, by slot. Built once from the list in engine/blocks/catalogue.cpp and passed as a parameter.
/// Immutable, thread-safe.
class Catalogue {
public:
    explicit Catalogue(std::vector<BlockDescriptor> blocks);

    const std::vector<BlockDescriptor>& blocks() const { return blocks_; }
    std::vector<std::string> slots() const;  ///< in order of first appearance
    std::vector<const BlockDescriptor*> ofSlot(const std::string& slot) const;
    std::vector<std::string> idsOf(const std::string& slot) const;                      ///< of its blocks
    const BlockDescriptor* find(const std::string& slot, const std::string& id) const;  ///< null if unknown
    const BlockDescriptor& at(const std::string& slot, const std::string& id) const;    ///< throws Error with a suggestion

private:
    std::vector<BlockDescriptor> blocks_;
};

/// The catalogue of this build (defined in engine/blocks/catalogue.cpp, compiled without torch).
const Catalogue& builtinCatalogue();

}  // namespace heddle
