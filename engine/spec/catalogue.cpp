// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/catalogue.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/spec/variant_resolve.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

Catalogue::Catalogue(std::vector<BlockDescriptor> blocks) : blocks_(std::move(blocks)) {
    for (BlockDescriptor& block : blocks_)
        if (block.formulaOf) block.formula = block.formulaOf(withDefaults(parameterSchema(block), Json::object()));
}

std::vector<std::string> Catalogue::slots() const {
    std::vector<std::string> names;
    for (const auto& block : blocks_)
        if (!contains(names, block.slot)) names.push_back(block.slot);
    return names;
}

std::vector<const BlockDescriptor*> Catalogue::ofSlot(const std::string& slot) const {
    std::vector<const BlockDescriptor*> found;
    for (const auto& block : blocks_)
        if (block.slot == slot) found.push_back(&block);
    return found;
}

std::vector<std::string> Catalogue::idsOf(const std::string& slot) const {
    std::vector<std::string> ids;
    for (const auto* block : ofSlot(slot)) ids.push_back(block->id);
    return ids;
}

const BlockDescriptor* Catalogue::find(const std::string& slot, const std::string& id) const {
    const auto it =
        std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& block) { return block.slot == slot && block.id == id; });
    return it == blocks_.end() ? nullptr : &*it;
}

const BlockDescriptor& Catalogue::at(const std::string& slot, const std::string& id) const {
    if (const auto* block = find(slot, id)) return *block;
    const auto ids = idsOf(slot);
    if (ids.empty()) throwInvalid(fmt::format("unknown slot \"{}\"", slot), "blocks", suggestion(slot, slots()));
    throwInvalid(fmt::format("unknown block \"{}\"", id), "slot " + slot, suggestion(id, ids));
}

}  // namespace heddle
