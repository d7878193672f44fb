// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/rules.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>

namespace heddle::arch {
namespace {

using Words = std::vector<std::string>;

bool startsWithAny(const std::string& text, const Words& prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(), [&text](const std::string& p) { return text.starts_with(p); });
}
bool contains(const Words& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string at(const SourceFile& file, int line, const std::string& what) {
    return file.path + ":" + std::to_string(line) + ": " + what;
}

/// A part of the program: its files (by longest prefix) and the parts that it may include besides itself.
struct Area {
    std::string name;
    Words prefixes, maySee;
};

const std::vector<Area> kAreas = {
    {"core", {"engine/base/", "engine/spec/", "engine/metrics/", "engine/analysis/", "engine/run/"}, {"random"}},
    {"random", {"engine/base/philox."}, {}},  // also compiled by nvcc
    {"data", {"engine/data/"}, {"core", "random"}},
    {"engine", {"engine/"}, {"core", "random", "data", "cuda", "table"}},
    {"table",
     {"engine/device/cuda_table.", "engine/device/cuda_arguments.", "engine/device/cuda_attention_arguments.",
      "engine/device/cuda_embedding_arguments.", "engine/device/cuda_product_arguments."},
     {"random"}},  // what engine and module share
    {"cuda", {"engine/kernels/cuda/"}, {"random", "table"}},
    {"storage", {"storage/"}, {}},
    {"session", {"app/session/"}, {"core", "data", "storage"}},
    {"reports", {"app/reports/"}, {"core", "data", "storage", "session", "study"}},
    {"study", {"app/study/"}, {"core", "data", "storage"}},
    {"foreign", {"app/foreign/"}, {"core", "data", "storage"}},
    {"launch", {"app/launch/"}, {"core", "storage", "session", "study"}},
    {"cli", {"app/cli/"}, {"core", "data", "storage", "session", "reports", "study", "foreign", "launch"}},
    {"ui", {"ui/"}, {"core", "storage", "study", "foreign"}},
    {"studio", {"app/studio/"}, {"core", "storage", "session", "study", "launch", "ui"}},
};

/// A folder whose folders include only folders below them.
struct LayeredFolder {
    std::string prefix;
    Words layers;  ///< from the ground up; "": the files of the folder itself
};

const std::vector<LayeredFolder> kLayered = {
    {"engine/",
     {"base", "spec", "metrics", "analysis", "run", "data", "device", "parallel", "kernels", "blocks", "model", "decode",
      "tasks", "train", "verify", "bench", "exchange", "library"}},
    {"app/session/", {"process", "runs", "recorder", "requests", "host"}},
    {"ui/", {"theme", "text", "threads", "widgets", "plot", "data", "panels", "pages", "window"}},
    {"ui/pages/compose/", {"draft", "forms", "diagram", "panels", "plan", ""}},
};

/// The index of the layer of a file; layers.size() in a folder that is in no layer, nullopt outside the layered folder.
std::optional<std::size_t> layerIn(const LayeredFolder& layered, const std::string& path) {
    if (!path.starts_with(layered.prefix)) return std::nullopt;
    const std::size_t begin = layered.prefix.size(), end = path.find('/', begin);
    const std::string folder = end == std::string::npos ? std::string() : path.substr(begin, end - begin);
    return static_cast<std::size_t>(std::find(layered.layers.begin(), layered.layers.end(), folder) - layered.layers.begin());
}

const Area* areaOf(const std::string& path) {
    const Area* best = nullptr;
    std::size_t length = 0;
    for (const Area& area : kAreas)
        for (const std::string& prefix : area.prefixes)
            if (prefix.size() > length && path.starts_with(prefix)) best = &area, length = prefix.size();
    return best;
}

/// Somebody else's library: what its includes begin with, and where ours may see them.
struct Library {
    std::string name;
    Words includes, homes;
};

const Words kTorchIncludes = {"ATen/", "torch/", "c10/", "caffe2/"};
const std::vector<Library> kLibraries = {
    {"LibTorch",
     kTorchIncludes,
     {"engine/device/", "engine/parallel/", "engine/kernels/", "engine/blocks/", "engine/model/", "engine/decode/",
      "engine/tasks/", "engine/train/", "engine/verify/", "engine/bench/", "engine/exchange/", "engine/library/",
      "tests/unit/engine/", "tests/golden/", "tests/bench/", "tests/oracle/", "tests/support/", "tests/toy_block/",
      "tests/dev/"}},
    {"SQLite", {"sqlite3.h", "SQLiteCpp/"}, {"storage/", "tests/unit/storage/", "tests/unit/app/", "tests/bench/"}},
    {"CLI11", {"CLI/"}, {"app/cli/"}},
    {"SentencePiece", {"sentencepiece_"}, {"engine/data/tokenizers/"}},
    {"QCustomPlot", {"qcustomplot.h"}, {"ui/plot/"}},
    {"Qt", {"Qt"}, {"ui/", "app/studio/", "tests/ui/"}},
};

const Library* libraryOf(const Include& include) {
    static const std::regex kQtClass("^Q[A-Z][A-Za-z]+$");
    for (const Library& library : kLibraries)
        if (startsWithAny(include.target, library.includes) ||
            (library.name == "Qt" && std::regex_match(include.target, kQtClass)))
            return &library;
    return nullptr;
}

using FilesByPath = std::map<std::string, const SourceFile*>;

FilesByPath byPath(const SourceTree& tree) {
    FilesByPath files;
    for (const SourceFile& file : tree) files[file.path] = &file;
    return files;
}

/// What `file` sees of other people's headers, directly or through ours: include → the file of ours that names it.
std::map<std::string, std::string> seenBy(const SourceFile& file, const FilesByPath& files) {
    std::map<std::string, std::string> seen;
    std::set<std::string> visited{file.path};
    std::vector<const SourceFile*> queue{&file};
    while (!queue.empty()) {
        const SourceFile& next = *queue.back();
        queue.pop_back();
        for (const Include& include : includesOf(next)) {
            const auto ours = files.find(include.target);
            if (ours == files.end()) {
                seen.emplace(include.target, next.path);
            } else if (visited.insert(include.target).second) {
                queue.push_back(ours->second);
            }
        }
    }
    return seen;
}

/// A violation for each match of `pattern` in the code of engine/, comments and literals left out, except in the file `home`.
Violations matchesInEngine(const SourceTree& tree, const std::regex& pattern, const std::string& complaint,
                           const std::string& home = "") {
    Violations found;
    for (const SourceFile& file : tree) {
        if (!file.path.starts_with("engine/") || file.path == home) continue;
        const std::string code = codeOnly(file.text);
        for (std::sregex_iterator it(code.begin(), code.end(), pattern), end; it != end; ++it)
            found.push_back(at(file, lineAt(code, static_cast<std::size_t>(it->position())), it->str() + complaint));
    }
    return found;
}

}  // namespace

Violations arrowViolations(const SourceTree& tree) {
    Violations found;
    for (const SourceFile& file : tree) {
        const Area* from = areaOf(file.path);
        if (!from) continue;  // tests may see everything
        for (const Include& include : includesOf(file)) {
            if (!include.quoted) continue;
            const Area* to = areaOf(include.target);
            if (!to) {
                found.push_back(at(file, include.line, "\"" + include.target + "\" is no path from the root of the sources"));
            } else if (to != from && !contains(from->maySee, to->name)) {
                found.push_back(at(file, include.line, from->name + " may not see " + to->name + " (" + include.target + ")"));
            }
        }
    }
    return found;
}

Violations layerViolations(const SourceTree& tree) {
    Violations found;
    for (const SourceFile& file : tree) {
        for (const LayeredFolder& layered : kLayered) {
            const auto layer = layerIn(layered, file.path);
            if (!layer) continue;
            if (*layer == layered.layers.size()) found.push_back(at(file, 1, "lies in a folder that is in no layer"));
            for (const Include& include : includesOf(file))
                if (include.quoted && layerIn(layered, include.target).value_or(0) > *layer)
                    found.push_back(at(file, include.line, "looks up to " + include.target));
        }
    }
    return found;
}

Violations undrawnLayers(const std::string& guide) {
    Violations found;
    std::size_t place = 0;
    for (const LayeredFolder& layered : kLayered) {
        for (const std::string& layer : Words(layered.layers.rbegin(), layered.layers.rend())) {
            if (layer.empty()) continue;
            const std::size_t line = guide.find("\n" + layer + " ", place);
            if (line == std::string::npos)
                found.push_back("CONTRIBUTING.md does not draw " + layered.prefix + layer + " below the layers above it");
            else
                place = line;
        }
    }
    return found;
}

Violations libraryViolations(const SourceTree& tree) {
    Violations found;
    const FilesByPath files = byPath(tree);
    std::set<std::string> sentencePieceFiles;
    for (const SourceFile& file : tree) {
        std::string torch, fmt;
        for (const auto& [target, namedIn] : seenBy(file, files)) {
            if (target.starts_with("fmt/")) fmt = namedIn;
            const Library* library = libraryOf({target, 0, false});
            if (!library) continue;
            if (library->name == "LibTorch") torch = namedIn;
            if (library->name == "SentencePiece" && namedIn == file.path) sentencePieceFiles.insert(file.path);
            if (!startsWithAny(file.path, library->homes))
                found.push_back(at(file, 1, "sees " + library->name + " (<" + target + "> in " + namedIn + ")"));
        }
        if (!torch.empty() && !fmt.empty())
            found.push_back(at(file, 1, "sees both torch (by " + torch + ") and fmt (by " + fmt + ")"));
    }
    if (sentencePieceFiles.size() > 1)
        for (const std::string& path : sentencePieceFiles) found.push_back(path + ":1: SentencePiece belongs in one file");
    return found;
}

Violations heavyHeaderViolations(const SourceTree& tree) {
    // The first brings the whole of torch on purpose, to .cpp files; the others are shared among block files, or among tests.
    const auto mayBeHeavy = [](const std::string& path) {
        return startsWithAny(path, {"engine/device/torch_pch.h", "engine/blocks/", "tests/"});
    };
    Violations found;
    const FilesByPath files = byPath(tree);
    for (const SourceFile& file : tree) {
        if (!file.path.ends_with(".h") || mayBeHeavy(file.path)) continue;
        for (const auto& [target, namedIn] : seenBy(file, files)) {
            const bool light = target == "ATen/core/Tensor.h" || target.starts_with("c10/core/");
            if (startsWithAny(target, kTorchIncludes) && !light)
                found.push_back(at(file, 1, "a header sees <" + target + "> (in " + namedIn + "); move it to the .cpp file"));
        }
    }
    return found;
}

Violations sizeViolations(const SourceTree& tree) {
    constexpr int kMostLines = 400;
    Violations found;
    for (const SourceFile& file : tree) {
        const auto lines = std::count(file.text.begin(), file.text.end(), '\n');
        if (lines > kMostLines) found.push_back(at(file, kMostLines, "has " + std::to_string(lines) + " lines"));
    }
    return found;
}

Violations licenceViolations(const SourceTree& tree) {
    Violations found;
    for (const SourceFile& file : tree) {
        const bool gpl = startsWithAny(file.path, {"ui/", "app/studio/", "tests/ui/"});
        const std::string line = std::string("SPDX-License-Identifier: ") + (gpl ? "GPL-3.0-or-later" : "Apache-2.0");
        const std::size_t place = file.text.find(line + "\n");
        if (place == std::string::npos || lineAt(file.text, place) > 2)
            found.push_back(at(file, 1, "does not open with \"" + line + "\""));
    }
    return found;
}

Violations unplantableFaults(const SourceTree& tree, const std::string& faults) {
    const FilesByPath files = byPath(tree);
    Violations found;
    for (const nlohmann::json& fault : nlohmann::json::parse(faults)) {
        const auto path = fault.at("file").get<std::string>(), text = fault.at("find").get<std::string>();
        const auto file = files.find(path);
        const std::string& code = file == files.end() ? std::string() : file->second->text;
        const std::size_t first = code.find(text);
        if (first == std::string::npos || code.find(text, first + 1) != std::string::npos)
            found.push_back(path + ": does not have exactly once: " + text);
    }
    return found;
}

Violations unlistedBlocks(const SourceTree& tree) {
    static const std::regex kBlockFile(R"(engine/blocks/\w+/\w+\.cpp)");
    static const std::regex kLine(R"re(BLOCK\("(\w+)", "(\w+)", (\w+)\))re");
    std::map<std::string, std::string> listed;  // file of a block → its name
    const FilesByPath files = byPath(tree);
    if (const auto catalogue = files.find("engine/blocks/catalogue.cpp"); catalogue != files.end()) {
        const std::string& text = catalogue->second->text;
        for (std::sregex_iterator it(text.begin(), text.end(), kLine), end; it != end; ++it)
            listed["engine/blocks/" + (*it)[1].str() + "/" + (*it)[2].str() + ".cpp"] = (*it)[3];
    }
    Violations found;
    for (const SourceFile& file : tree) {
        if (!std::regex_match(file.path, kBlockFile)) continue;
        if (files.contains(file.path.substr(0, file.path.size() - 3) + "h")) continue;  // the slot's blocks share such a source
        const auto line = listed.find(file.path);
        if (line == listed.end()) {
            found.push_back(at(file, 1, "is not in engine/blocks/catalogue.cpp"));
        } else if (file.text.find("describe" + line->second + "()") == std::string::npos) {
            found.push_back(at(file, 1, "does not define describe" + line->second + "()"));
        }
    }
    return found;
}

Violations untypedOptions(const SourceTree& tree) {
    static const std::regex kMember(R"re((\.at\(|\.value\(|\[)"\w+")re");
    Violations found;
    for (const SourceFile& file : tree) {
        if (!file.path.starts_with("engine/blocks/") || file.path == "engine/blocks/options.h") continue;
        const std::string code = codeOnly(file.text);  // blank where comments and literals stand
        for (std::sregex_iterator it(file.text.begin(), file.text.end(), kMember), end; it != end; ++it)
            if (const auto place = static_cast<std::size_t>(it->position()); code[place] == file.text[place])
                found.push_back(at(file, lineAt(file.text, place), it->str() + " …: name it in the block's OptionFields"));
    }
    return found;
}

Violations nestedLoops(const SourceTree& tree) {
    static const std::regex kLoop(
        R"((\.|->)exec\(|\bprocessEvents\(|\bQInputDialog::get\w+|\bQFileDialog::get\w+|\bQColorDialog::get\w+|)"
        R"(\bQMessageBox::(question|warning|information|critical)\()");
    Violations found;
    for (const SourceFile& file : tree) {
        if (!file.path.starts_with("ui/") && !file.path.starts_with("app/studio/")) continue;
        const std::string code = codeOnly(file.text);
        for (std::sregex_iterator it(code.begin(), code.end(), kLoop), end; it != end; ++it)
            found.push_back(
                at(file, lineAt(code, static_cast<std::size_t>(it->position())), it->str() + " nests an event loop"));
    }
    return found;
}

Violations privateOperators(const SourceTree& tree) {
    static const std::regex kPrivate(R"(\b(at|torch)::_\w+)");
    return matchesInEngine(tree, kPrivate, " is LibTorch's own", "engine/device/torch_private.cpp");
}

Violations generatorViolations(const SourceTree& tree) {
    static const std::regex kGenerators(
        R"(\b(at|torch)::(rand\w*|normal|bernoulli|dropout\w*|multinomial|poisson|manual_seed)\s*\(|)"
        R"(\.(bernoulli|random|uniform|normal|exponential|geometric|cauchy|log_normal)_\s*\(|\.(bernoulli|multinomial)\s*\(|)"
        R"(\bstd::(s?rand\b|mt19937|minstd_rand|default_random_engine|shuffle\b|ranlux)|\bs?rand\s*\()");
    return matchesInEngine(tree, kGenerators, " …: draw from randomKey(seed, stream) instead");
}

Violations folderViolations(const SourceTree& tracked) {
    static const Words kFolders = {"app/", "ui/", "engine/", "storage/", "resources/", "docs/", "tests/", "packaging/", ".ci/"};
    static const Words kFiles = {"CMakeLists.txt",  "CMakePresets.json", "README.md",   "LICENSE",    "CHANGELOG.md",
                                 "CONTRIBUTING.md", ".clang-format",     ".clang-tidy", ".gitignore", ".gitattributes"};
    Violations found;
    for (const SourceFile& file : tracked)
        if (!startsWithAny(file.path, kFolders) && !contains(kFiles, file.path))
            found.push_back(at(file, 1, "lies outside the fixed top-level folders"));
    return found;
}

Violations machinePathViolations(const SourceTree& tracked) {
    // Written in pieces, so that this file does not find itself.
    static const std::regex kMachine(std::string("/wo") + "rk/|/ro" + "ot/|/ho" + "me/\\w|/tm" + "p/bash_jobs|\\bfa" +
                                     "rm-\\w|\\.libr" + "ary/");
    Violations found;
    for (const SourceFile& file : tracked)
        for (std::sregex_iterator it(file.text.begin(), file.text.end(), kMachine), end; it != end; ++it)
            found.push_back(at(file, lineAt(file.text, static_cast<std::size_t>(it->position())), "names " + it->str()));
    return found;
}

}  // namespace heddle::arch
