// SPDX-License-Identifier: Apache-2.0
// Reproduction's dry run: models meet their data before hours are spent on those that can be trained.
#include "app/session/reproduction.h"
#include "engine/run/engine.h"

#include <fmt/format.h>

namespace heddle::app {

std::size_t Reproduction::rehearse(Engine& engine, const std::string& cacheFolder,
                                   const std::function<void(const std::string&)>& begun) {
    std::size_t built = 0;
    for (auto& item : items_) {
        if (item.seed != recipe_.firstSeed || !item.missing.empty() || item.state == ReproductionItem::State::Done) continue;
        begun(item.run->name);
        try {
            engine.rehearse(specOf(item), cacheFolder);
            ++built;
        } catch (const Error& error) {
            for (auto& other : items_)
                if (other.run == item.run)
                    other.problem = fmt::format("{} ({}): {}", error.problem(), error.where(), error.next());
        }
    }
    return built;
}

}  // namespace heddle::app
