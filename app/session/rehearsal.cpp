// SPDX-License-Identifier: Apache-2.0
// Reproduction's dry run: models meet their data before hours are spent on those that can be trained.
#include "app/session/reproduction.h"
#include "engine/run/engine.h"
#include "engine/spec/error.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

/// An empty folder that goes away.
class TemporaryFolder {
public:
    TemporaryFolder() : path_((fs::temp_directory_path() / "heddle-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr)
            throw Error(ErrorCode::Failure, "no temporary folder can be made", path_,
                        "set TMPDIR to a folder you can write to");
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string ofRun(std::size_t number) const { return (fs::path(path_) / std::to_string(number)).string(); }

private:
    std::string path_;
};

}  // namespace

std::size_t Reproduction::rehearse(Engine& engine, const std::string& cacheFolder,
                                   const std::function<void(const std::string&)>& begun) {
    const TemporaryFolder tokenizers;
    const auto folderOf = [&](const ReproductionItem& item) {
        return tokenizers.ofRun(static_cast<std::size_t>(&item - items_.data()));
    };
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
