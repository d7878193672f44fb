// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heddle::arch {

/// One file of the repository: path relative to its root, and its bytes.
struct SourceFile {
    std::string path, text;
};
using SourceTree = std::vector<SourceFile>;

/// One broken rule: "path:line: what".
using Violations = std::vector<std::string>;

/// Every C++ and CUDA source of the fixed folders, sorted by path. Throws when the root has none.
SourceTree readSources(const std::string& root);

/// Every file that git tracks or would track, binary ones left out; empty where git cannot answer.
SourceTree readTracked(const std::string& root);

/// `text` with comments and the insides of string literals blanked out; line numbers stay.
std::string codeOnly(const std::string& text);

/// A string literal in the code: the text between its quotes as it is written, and the places of the two quotes.
struct Literal {
    std::string text;
    std::size_t from = 0, past = 0;
};
std::vector<Literal> literalsOf(const std::string& text);

struct Include {
    std::string target;
    int line = 0;
    bool quoted = false;  ///< "…": ours; <…>: somebody else's
};
std::vector<Include> includesOf(const SourceFile& file);

/// The line (from 1) of a position in a text.
int lineAt(const std::string& text, std::size_t position);

}  // namespace heddle::arch
