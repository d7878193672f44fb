// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/source_tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace heddle::arch {
namespace {

namespace fs = std::filesystem;

std::string readFile(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string outputOf(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string output;
    std::array<char, 4096> buffer{};
    while (pipe) {
        const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
        if (n == 0) break;
        output.append(buffer.data(), n);
    }
    return output;
}

/// One past the comment or literal that begins at `at`; `at` itself where code goes on.
std::size_t endOfNonCode(const std::string& text, std::size_t at) {
    const auto past = [&text](const std::string& closing, std::size_t from) {
        const std::size_t found = text.find(closing, from);
        return found == std::string::npos ? text.size() : found + closing.size();
    };
    const char before = at > 0 ? text[at - 1] : ' ';
    if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
    if (text.compare(at, 2, "/*") == 0) return past("*/", at + 2);
    if (text[at] == '"' && before == 'R') return past(")" + text.substr(at + 1, text.find('(', at) - at - 1) + "\"", at);
    const bool digitSeparator = text[at] == '\'' && std::isalnum(static_cast<unsigned char>(before));
    if ((text[at] != '"' && text[at] != '\'') || digitSeparator) return at;
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != text[at] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
}

}  // namespace

int lineAt(const std::string& text, std::size_t position) {
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

SourceTree readSources(const std::string& root) {
    SourceTree tree;
    for (const char* folder : {"app", "engine", "storage", "tests", "ui"}) {
        if (!fs::exists(fs::path(root) / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / folder)) {
            const std::string extension = entry.path().extension().string();
            if (!entry.is_regular_file() || (extension != ".cpp" && extension != ".h" && extension != ".cu")) continue;
            tree.push_back({fs::relative(entry.path(), root).string(), readFile(entry.path())});
        }
    }
    if (tree.empty()) throw std::runtime_error("no sources under " + root);
    std::sort(tree.begin(), tree.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    return tree;
}

SourceTree readTracked(const std::string& root) {
    SourceTree tree;
    std::istringstream names(
        outputOf("git -C '" + root + "' ls-files --cached --others --exclude-standard --deduplicate 2>/dev/null"));
    for (std::string name; std::getline(names, name);) {
        const fs::path path = fs::path(root) / name;
        if (!fs::is_regular_file(path)) continue;  // deleted, not yet committed
        std::string text = readFile(path);
        if (text.find('\0') == std::string::npos) tree.push_back({name, std::move(text)});
    }
    return tree;
}

std::string codeOnly(const std::string& text) {
    std::string code = text;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = endOfNonCode(text, at);
        for (std::size_t i = at; i < end; ++i)
            if (code[i] != '\n') code[i] = ' ';
        at = std::max(end, at + 1);
    }
    return code;
}

std::vector<Literal> literalsOf(const std::string& text) {
    std::vector<Literal> found;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = endOfNonCode(text, at);
        if (text[at] == '"' && end > at + 1) found.push_back({text.substr(at + 1, end - at - 2), at, end});
        at = std::max(end, at + 1);
    }
    return found;
}

std::vector<Include> includesOf(const SourceFile& file) {
    static const std::regex kInclude(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
    std::vector<Include> found;
    std::istringstream lines(file.text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::smatch m;
        if (std::regex_search(line, m, kInclude)) found.push_back({m[2], number, m[1] == "\""});
    }
    return found;
}

}  // namespace heddle::arch
