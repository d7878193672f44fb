// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/sha256.h"
#include "engine/device/torch_pch.h"
#include "engine/exchange/exchange.h"
#include "engine/train/checkpoint/published_names.h"
#include "engine/train/checkpoint/safetensors.h"

#include <filesystem>
#include <map>
#include <set>

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

/// The tensors of each file of an index.
std::map<std::string, std::set<std::string>> readIndex(const std::string& path) {
    const auto damaged = [&](const std::string& what) {
        throwInvalid("the index of the weights is damaged: " + what, path, kUseTogether);
    };
    const Json document = readJsonFile(path);
    const Json map = document.is_object() ? document.value("weight_map", Json()) : Json();
    if (!map.is_object() || map.empty()) damaged("it has no weight_map");
    std::map<std::string, std::set<std::string>> files;
    for (const auto& [tensor, file] : map.items()) {
        const std::string name = file.is_string() ? file.get<std::string>() : "";
        if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.'))
            damaged(std::string("\"") + printable(tensor) + "\" is in no file of the folder");
        files[name].insert(tensor);
    }
    return files;
}

/// The tensors of a file; `sha256` gets its hash.
NamedTensors readHashed(const std::string& path, std::string& sha256) {
    const std::string bytes = readWholeFile(path, kUseAnother);
    sha256 = sha256Hex(bytes);
    return parseSafetensors(bytes, path);
}

}  // namespace

PublishedFiles readPublishedFiles(const std::string& folder) {
    PublishedFiles found;
    found.where = folder + "/" + kWeightsFile;
    if (fs::is_regular_file(found.where)) {
        found.weights = readHashed(found.where, found.sha256);
        return found;
    }
    found.where = folder + "/" + kIndexFile;
    if (!fs::is_regular_file(found.where))
        throwInvalid("the folder has no model.safetensors", folder,
                     fs::exists(folder + "/pytorch_model.bin")
                         ? "pytorch_model.bin is not read: have transformers save the model again, as safetensors"
                         : "give a folder with config.json and model.safetensors, or with its index");
    std::string hashes;
    for (const auto& [file, tensors] : readIndex(found.where)) {
        const std::string path = folder + "/" + file;
        std::string sha256;
        NamedTensors part = readHashed(path, sha256);
        hashes += sha256;
        for (const std::string& tensor : tensors)
            if (!part.contains(tensor))
                throwInvalid("the file lacks \"" + printable(tensor) + "\", which the index says it has", path, kUseTogether);
        for (auto& [name, tensor] : part)
            if (!found.weights.emplace(name, std::move(tensor)).second)
                throwInvalid("\"" + printable(name) + "\" is in two files", path, kUseTogether);
    }
    found.sha256 = sha256Hex(hashes);
    return found;
}

}  // namespace heddle
