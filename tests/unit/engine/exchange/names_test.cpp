// SPDX-License-Identifier: Apache-2.0
// The table of resources/help/exchange.md names the tensors of a weights file, which are those of the model.
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/spec/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace heddle {
namespace {

/// The text between each pair of backquotes.
std::vector<std::string> inBackquotes(const std::string& text) {
    std::vector<std::string> all;
    static const std::regex kQuoted("`([^`]*)`");
    for (auto found = std::sregex_iterator(text.begin(), text.end(), kQuoted); found != std::sregex_iterator(); ++found)
        all.push_back((*found)[1]);
    return all;
}

/// The names that the table has, with their shapes: "embed.norm.weight" → "[D]". A name ".bias" stands for the one before it
/// with another end; N is the number of a layer. The sentence beside a name may have names, too, of the same shape.
std::map<std::string, std::string> namesOfTheHelp() {
    std::map<std::string, std::string> names;
    std::istringstream lines(readWholeFile(HEDDLE_SOURCE_DIR "/resources/help/exchange.md"));
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| `")) continue;
        std::vector<std::string> cells;
        std::istringstream parts(line.substr(1));
        for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(cell);
        if (cells.size() < 3 || cells[1].find('[') == std::string::npos) continue;
        static const std::regex kShape(R"(\[[^\]]*\])");
        std::vector<std::string> shapes(std::sregex_token_iterator(cells[1].begin(), cells[1].end(), kShape),
                                        std::sregex_token_iterator());
        std::string before;
        std::size_t count = 0;
        for (const std::string& name : inBackquotes(cells[0])) {
            before = name.front() == '.' ? before.substr(0, before.rfind('.')) + name : name;
            names[before] = shapes.at(std::min(count++, shapes.size() - 1));
        }
        for (const std::string& name : inBackquotes(cells[2]))
            if (name.ends_with(".weight")) names[name] = shapes.front();
    }
    return names;
}

std::unique_ptr<Model> modelOf(const char* variant) {
    return buildModel(VariantSpec::parse(Json::parse(variant), builtinCatalogue()).resolve(30, 30), 1);
}

/// The name as the table has it: without the number of the layer, with the encoder's in place of the decoder's.
std::string tableName(const std::string& path) {
    std::string name = std::regex_replace(path, std::regex("\\.layers\\.[0-9]+\\."), ".layers.N.");
    name = std::regex_replace(name, std::regex("^decoder\\.layers"), "encoder.layers");
    return std::regex_replace(name, std::regex("\\.cross\\."), ".self.");
}

/// They have all tensors of the table.
constexpr const char* kVariants[] = {
    R"({"preset":"eau-base","dims":{"d":16,"f":32,"heads":2,"layers_enc":2,"layers_dec":2,"max_len":24}})",
    R"({"preset":"eau-base","dims":{"d":16,"f":32,"heads":2,"layers_enc":1,"layers_dec":1,"max_len":24},
              "embed":{"source":"tied_src_tgt"},"defaults":{"norm":{"kind":"layernorm","place":"pre","final":1}}})",
    R"({"preset":"bert-base","dims":{"d":16,"f":32,"heads":2,"layers_enc":2,"max_len":24,"vocab_src":"from_data"}})",
    R"({"preset":"bert-base","dims":{"d":16,"f":32,"heads":2,"layers_enc":1,"max_len":24,"vocab_src":"from_data","classes":3},
              "head":{"kind":"classify","pool":"cls_tanh"},"embed":{"source":"learned"}})",
    R"({"preset":"gpt","dims":{"d":16,"f":32,"heads":2,"layers_dec":2,"max_len":24,"vocab_src":"from_data","vocab_tgt":"from_data"}})"};

TEST(NamesOfTensors, AreThoseOfTheHelp) {
    const auto named = namesOfTheHelp();
    ASSERT_GE(named.size(), 20U);
    const std::map<char, std::int64_t> sizes{{'D', 16}, {'F', 32}};
    std::set<std::string> found;
    for (const char* variant : kVariants) {
        const auto made = modelOf(variant);
        for (const auto& [path, tensor] : made->parameters().entries()) {
            const std::string name = tableName(path), stem = name.substr(0, name.rfind('.'));
            const auto row = named.contains(name) ? named.find(name) : named.find(stem);
            if (row == named.end()) {
                ADD_FAILURE() << path << " of " << variant << " is not in the table";
                continue;
            }
            found.insert(row->first);
            if (path.ends_with(".bias")) continue;  // of the outputs alone
            EXPECT_EQ(std::count(row->second.begin(), row->second.end(), ',') + 1, tensor.dim()) << path;
            std::int64_t axis = 0;
            for (const char letter : row->second) {
                axis += letter == ',' ? 1 : 0;
                const auto size = sizes.find(letter);
                if (size == sizes.end() || axis >= tensor.dim()) continue;
                EXPECT_EQ(tensor.size(axis), size->second) << path << ' ' << row->second;
            }
        }
    }
    for (const auto& [name, shape] : named) EXPECT_TRUE(found.contains(name)) << name << " is in no model";
}

}  // namespace
}  // namespace heddle
