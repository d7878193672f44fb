// SPDX-License-Identifier: Apache-2.0
// Reproduction: the dry run, which tries all models on their data before hours are spent on training.
#include "app/reports/reproduction.h"
#include "engine/base/error.h"
#include "engine/base/temporary_folder.h"
#include "engine/run/engine.h"

#include <fmt/format.h>

#include <filesystem>

namespace heddle::app {

namespace fs = std::filesystem;

std::size_t Reproduction::rehearse(Engine& engine, const std::string& cacheFolder,
                                   const std::function<void(const std::string&)>& begun) {
    const TemporaryFolder tokenizers;
    const auto folderOf = [&](const ReproductionItem& item) { return tokenizers / std::to_string(&item - items_.data()); };
    std::size_t built = 0;
    for (auto& item : items_) {
        if (item.seed != recipe_.firstSeed || !item.missing.empty() || item.state == ReproductionItem::State::Done) continue;
        begun(item.run->name);
        RehearsalFolders folders{cacheFolder, "", folderOf(item)};
        for (const auto& parent : needsOf(recipe_, *item.run, request_.scale).runs)
            if (const auto* other = itemOf(parent, item.seed); other && fs::exists(folderOf(*other)))
                folders.tokenizersFrom = folderOf(*other);
        try {
            engine.rehearse(specOf(item), folders);
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
