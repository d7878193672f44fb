// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/error.h"
#include "engine/spec/resources.h"
#include "engine/spec/variant_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace heddle {

namespace fs = std::filesystem;

std::vector<std::string> presetNames() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(resourcePath("presets")))
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

Json presetDocument(const std::string& name) {
    const auto names = presetNames();
    if (std::find(names.begin(), names.end(), name) == names.end())
        throwInvalid(fmt::format("unknown preset \"{}\"", name), "presets", suggestion(name, names));
    return readJsonFile(resourcePath("presets/" + name + ".json"));
}

}  // namespace heddle
