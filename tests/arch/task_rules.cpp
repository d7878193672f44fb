// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/rules.h"

#include <regex>
#include <set>

namespace heddle::arch {
namespace {

/// A string literal that is compared by == or !=, and what it is compared with.
struct LiteralComparison {
    int line;
    std::string side, literal;
};

std::vector<LiteralComparison> literalComparisons(const SourceFile& file) {
    static const std::regex kRight(R"re(^\s*"(\w*)")re"), kLeft(R"re("(\w*)"\s*$)re");
    static const std::regex kBefore(R"re(\S+(?=\s*$))re"), kAfter(R"re([\w.:>()-]*\w)re");
    constexpr std::size_t kLooked = 120;  // characters on either side
    std::vector<LiteralComparison> found;
    const std::string code = codeOnly(file.text);
    for (std::size_t sign = 1; sign + 1 < code.size(); ++sign) {
        if (code[sign + 1] != '=' || (code[sign] != '=' && code[sign] != '!')) continue;
        const std::size_t from = sign > kLooked ? sign - kLooked : 0;
        const std::string before = file.text.substr(from, sign - from), after = file.text.substr(sign + 2, kLooked);
        std::smatch literal, side;
        if (std::regex_search(after, literal, kRight) && std::regex_search(before, side, kBefore))
            found.push_back({lineAt(code, sign), side[0], literal[1]});
        else if (std::regex_search(before, literal, kLeft) && std::regex_search(after, side, kAfter))
            found.push_back({lineAt(code, sign), side[0], literal[1]});
    }
    return found;
}

}  // namespace

Violations taskComparisons(const SourceTree& tree) {
    static const std::regex kListed(R"re(\{"(\w+)",\s+"[A-Z])re");
    static const std::regex kTask(R"re(\w*[tT]ask(_|\(\))?(\.id)?$)re");
    std::set<std::string> names;
    for (const SourceFile& file : tree) {
        if (file.path != "engine/spec/task_kinds.cpp") continue;
        for (std::sregex_iterator it(file.text.begin(), file.text.end(), kListed), end; it != end; ++it) names.insert((*it)[1]);
    }
    Violations found;
    for (const SourceFile& file : tree) {
        if (!file.path.starts_with("engine/") && !file.path.starts_with("app/")) continue;
        for (const auto& [line, side, literal] : literalComparisons(file)) {
            const bool isName = names.contains(literal) && !side.ends_with("at(\"head\").id");
            if (isName || std::regex_search(side, kTask))
                found.push_back(file.path + ":" + std::to_string(line) + ": compares a task with \"" + literal + "\"");
        }
    }
    return found;
}

}  // namespace heddle::arch
