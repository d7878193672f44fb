// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect_statistics.h"
#include "engine/data/loading/select.h"
#include "engine/data/readers/idx.h"
#include "engine/data/vectors/word_vectors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace heddle::inspection {
namespace {

/// Mean and standard deviation of the pixels, as fractions of white, for normalising the inputs of image models.
Json describePixels(const std::vector<std::uint8_t>& pixels) {
    std::array<std::int64_t, 256> counts{};
    for (const std::uint8_t pixel : pixels) ++counts[pixel];
    double sum = 0, squares = 0;
    for (std::size_t value = 0; value < counts.size(); ++value) {
        const double share = static_cast<double>(counts[value]) / static_cast<double>(pixels.size());
        const double white = static_cast<double>(value) / 255;
        sum += share * white;
        squares += share * white * white;
    }
    const auto distinct = std::count_if(counts.begin(), counts.end(), [](std::int64_t count) { return count > 0; });
    return {{"mean", sum},
            {"std", std::sqrt(std::max(0.0, squares - sum * sum))},
            {"distinct", distinct},
            {"zero", static_cast<double>(counts[0]) / static_cast<double>(pixels.size())}};
}

std::int64_t repeatedImages(const IdxImages& images) {
    return groupEqual(eachImage(images.pixels, images.rows * images.columns)).repeated;
}

}  // namespace

Inspected inspectIdx(const std::string& path) {
    Inspected result;
    IdxHeader header;
    if (isIdxFile(path, &header) && header.sizes.size() == 1) {
        const IdxLabels file = readIdxLabels(path);
        result.kind = Inspected::Kind::Labels;
        result.count = static_cast<std::int64_t>(file.labels.size());
        std::vector<std::int64_t> counts(256);
        for (const std::uint8_t label : file.labels) ++counts[label];
        std::vector<std::pair<std::string, std::int64_t>> classes;
        for (std::size_t label = 0; label < counts.size(); ++label)
            if (counts[label] > 0) classes.emplace_back(std::to_string(label), counts[label]);
        result.description = {{"kind", "labels"},
                              {"sha256", file.sha256},
                              {"examples", result.count},
                              {"labels", describeBalance(classes)},
                              {"notes", Json::array()}};
        return result;
    }
    const IdxImages file = readIdxImages(path);
    result.kind = Inspected::Kind::Images;
    result.count = file.count;
    result.description = {{"kind", "images"},
                          {"sha256", file.sha256},
                          {"examples", file.count},
                          {"rows", file.rows},
                          {"columns", file.columns},
                          {"duplicate_examples", repeatedImages(file)},
                          {"pixels", describePixels(file.pixels)},
                          {"notes", Json::array()}};
    return result;
}

Inspected inspectVectors(const std::string& path, const InspectOptions& options) {
    ReadVectorsOptions reading;
    reading.onBadRow = options.onBadLine;
    const WordVectors vectors = readWordVectors(path, reading);
    static const std::array<const char*, 3> kLayouts{"word2vec text", "GloVe text", "word2vec binary"};
    const auto dim = static_cast<std::size_t>(vectors.dim);
    std::vector<double> norms;
    for (std::size_t i = 0; i < vectors.words.size(); ++i) {
        const float* const row = vectors.values.data() + i * dim;
        norms.push_back(std::sqrt(std::inner_product(row, row + dim, row, 0.0)));
    }
    std::vector<std::size_t> order(norms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return norms[a] < norms[b]; });
    const auto listed = [&](std::size_t from, std::size_t to) {
        Json list = Json::array();
        for (std::size_t i = from; i < to; ++i) list.push_back({{"word", vectors.words[order[i]]}, {"norm", norms[order[i]]}});
        return list;
    };
    const std::size_t shown = std::min<std::size_t>(5, order.size());
    Json first = Json::array();
    for (std::size_t i = 0; i < std::min(options.frequent, vectors.words.size()); ++i) first.push_back(vectors.words[i]);

    Inspected result;
    result.kind = Inspected::Kind::Vectors;
    result.count = static_cast<std::int64_t>(vectors.words.size());
    result.description = {{"kind", "vectors"},
                          {"layout", kLayouts[static_cast<std::size_t>(vectorLayoutOf(path))]},
                          {"sha256", vectors.sha256},
                          {"words", result.count},
                          {"dim", vectors.dim},
                          {"skipped", vectors.skipped},
                          {"norm", describeNumbers(norms)},
                          {"shortest", listed(0, shown)},
                          {"longest", listed(order.size() - shown, order.size())},
                          {"first_words", first},
                          {"notes", vectors.notes}};
    return result;
}

}  // namespace heddle::inspection
