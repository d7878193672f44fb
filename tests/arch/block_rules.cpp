// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/rules.h"

#include <algorithm>
#include <regex>
#include <set>

namespace heddle::arch {
namespace {

constexpr const char* kCatalogue = "engine/blocks/catalogue.cpp";

/// Ids of blocks that are words of other things, too: tasks, sublayers, verbs, settings.
const std::set<std::string> kWords{"add",  "alpha", "classify", "distinct", "grouped", "identity", "input",    "linear",
                                   "lstm", "mlm",   "none",     "regress",  "shared",  "span",     "standard", "tag"};

struct Names {
    std::set<std::string> slots, ids;
};

Names namesOf(const SourceTree& tree) {
    static const std::regex kLine(R"re(BLOCK\("(\w+)",\s*"(\w+)")re");
    Names names;
    for (const SourceFile& file : tree) {
        if (file.path != kCatalogue) continue;
        for (std::sregex_iterator it(file.text.begin(), file.text.end(), kLine), end; it != end; ++it) {
            names.slots.insert((*it)[1]);
            names.ids.insert((*it)[2]);
        }
    }
    return names;
}

/// Whether blocks are asked for in this file, not made, checked or listed.
bool asksBlocks(const std::string& path) {
    if (path.starts_with("engine/blocks/") || path.starts_with("engine/verify/")) return false;
    if (path == "engine/spec/variant_schema.cpp" || path == "engine/spec/task_kinds.cpp") return false;
    return path.starts_with("engine/") || path.starts_with("app/") || path.starts_with("ui/");
}

/// Whether an id is compared with this literal, or the literal before it is a slot.
bool namesABlock(const std::string& text, const Literal& literal, const std::set<std::string>& slots) {
    static const std::regex kAfterId(R"re((\.|->|\b)id(\([^()]*\))?\s*[!=]=\s*$)re");
    static const std::regex kBeforeId(R"re(^\s*[!=]=\s*[\w.>()"-]*(\.|->)id\b)re");
    static const std::regex kAfterSlot(R"re("(\w+)",\s*$)re");
    constexpr std::size_t kLooked = 120;  // characters on either side
    const std::size_t from = literal.from > kLooked ? literal.from - kLooked : 0;
    const std::string before = text.substr(from, literal.from - from), after = text.substr(literal.past, kLooked);
    std::smatch slot;
    if (std::regex_search(before, slot, kAfterSlot) && slots.contains(slot[1])) return true;
    return std::regex_search(before, kAfterId) || std::regex_search(after, kBeforeId);
}

}  // namespace

Violations namedBlocks(const SourceTree& tree) {
    const Names names = namesOf(tree);
    Violations found;
    for (const SourceFile& file : tree) {
        if (!asksBlocks(file.path)) continue;
        for (const Literal& literal : literalsOf(file.text)) {
            if (!names.ids.contains(literal.text)) continue;
            if (kWords.contains(literal.text) && !namesABlock(file.text, literal, names.slots)) continue;
            found.push_back(file.path + ":" + std::to_string(lineAt(file.text, literal.from)) + ": names the block \"" +
                            literal.text +
                            "\"; give BlockDescriptor the fact that is asked for, and let each block state its own");
        }
    }
    return found;
}

}  // namespace heddle::arch
