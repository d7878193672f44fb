// SPDX-License-Identifier: Apache-2.0
// How long the data of a run take: first start (reading, training the tokenizers, encoding) and second start (cache).
//   data_bench TRAIN.src TRAIN.tgt VALID.src VALID.tgt CACHE-FOLDER [words|wordpiece|sentencepiece]
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/sha256.h"
#include "engine/data/loading/run_data.h"
#include "engine/spec/catalogue.h"

#include <chrono>
#include <filesystem>
#include <iostream>

namespace {

double seconds(const std::function<void()>& action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 6) {
        std::cerr << "usage: data_bench TRAIN.src TRAIN.tgt VALID.src VALID.tgt CACHE-FOLDER [KIND]\n";
        return 2;
    }
    try {
        heddle::RunSpec spec;
        spec.variant = heddle::VariantSpec::parse({{"preset", "eau-base"}}, heddle::builtinCatalogue());
        spec.data.train = {arguments[1], arguments[2]};
        spec.data.valid = {arguments[3], arguments[4]};
        spec.data.tokenizer.kind = heddle::choiceNamed<heddle::TokenizerKind>(count > 6 ? arguments[6] : "words").value();
        const std::string folder = arguments[5];
        for (const char* start : {"first", "second", "third"}) {
            heddle::RunData data;
            const double took = seconds([&] { data = heddle::loadRunData(spec, {folder, ""}, {}); });
            std::cout << start << " start: " << took << " s, " << data.train.size() << " pairs, "
                      << data.train.source.size() + data.train.target.size() << " tokens\n";
            for (const auto& note : data.notes) std::cout << "  " << note << "\n";
        }
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (!entry.is_regular_file()) continue;
            std::string bytes;
            const double reading = seconds([&] { bytes = heddle::readWholeFile(entry.path().string()); });
            const double hashing = seconds([&] { heddle::sha256Hex(bytes); });
            std::cout << entry.path().filename().string() << ": " << bytes.size() / 1e6 << " MB, read in " << reading
                      << " s, SHA-256 in " << hashing << " s\n";
        }
    } catch (const heddle::Error& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
