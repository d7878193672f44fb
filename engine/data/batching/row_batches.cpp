// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/row_batches.h"

#include "engine/base/error.h"
#include "engine/data/batching/shuffle.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

constexpr std::uint32_t kCorruptPurpose = 3;  // distinct from those of the batch plan

std::int64_t lengthAt(const std::vector<std::int64_t>& begin, std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return begin[at + 1] - begin[at];
}

std::int64_t rowLength(const EncodedCorpus& corpus, std::int64_t i) { return lengthAt(corpus.sourceBegin, i); }

/// A batch with the examples' numbers and the number of rows.
Batch begin(const std::vector<std::int64_t>& indices) {
    Batch batch;
    batch.indices = indices;
    batch.rows = static_cast<std::int64_t>(indices.size());
    return batch;
}

/// Appends the entries of these rows.
template <typename To, typename From>
void addRows(std::vector<To>& to, const std::vector<From>& column, const std::vector<std::int64_t>& rows) {
    for (const std::int64_t row : rows) to.push_back(column[static_cast<std::size_t>(row)]);
}

void addLabel(Batch& batch, std::int64_t position, std::int64_t label) {
    batch.positions.push_back(position);
    batch.labels.push_back(label);
    ++batch.labelCount;
}

/// Numbers the documents of each row of `ids`, [rows, width]: every <sos> but the first token of a row begins one.
std::vector<std::int64_t> documentNumbers(const std::vector<std::int64_t>& ids, std::int64_t width) {
    std::vector<std::int64_t> documents(ids.size());
    std::int64_t number = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (i % static_cast<std::size_t>(width) == 0)
            number = 0;
        else if (ids[i] == kSos)
            ++number;
        documents[i] = ids[i] == kPad ? kNoDocument : number;
    }
    return documents;
}

/// Corrupts the tokens of one row.
class RowCorruption {
public:
    RowCorruption(const Corruption& how, ShuffleRandom random) : how_(how), random_(random) {}

    bool chooses(std::int64_t id) {
        const bool mayBe = !isMark(id) || (how_.everyPosition && how_.spec.specials && id != kPad);
        return mayBe && share() < how_.spec.rate;
    }

    /// The replacement of a chosen token.
    std::int64_t replacement(std::int64_t id) {
        if (how_.everyPosition) return drawn(id);
        const double at = share();
        if (at < how_.spec.mask) return how_.maskId;
        return at < how_.spec.mask + how_.spec.random ? drawn(id) : id;
    }

    std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
    static bool isMark(std::int64_t id) { return id == kPad || id == kSos || id == kEos; }

private:
    double share() { return static_cast<double>(random_.below(std::uint64_t{1} << 53)) * 0x1p-53; }

    std::int64_t drawn(std::int64_t id) {
        const std::int64_t first = how_.everyPosition && how_.spec.specials ? 0 : how_.firstWord;
        const auto words = static_cast<std::uint64_t>(how_.words - first);
        const bool withoutIt = how_.everyPosition && how_.spec.excludeSelf && id >= first && words > 1;
        const auto word = first + static_cast<std::int64_t>(random_.below(withoutIt ? words - 1 : words));
        return withoutIt && word >= id ? word + 1 : word;
    }

    const Corruption& how_;
    ShuffleRandom random_;
};

}  // namespace

Documents documentsOf(const DataSpec& data) {
    return data.packing == Packing::Documents ? Documents::Apart : Documents::Joined;
}

Batch makePairBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices) {
    Batch batch = begin(indices);
    for (const std::int64_t i : indices) {
        const std::int64_t source = lengthAt(corpus.sourceBegin, i) + 1, target = lengthAt(corpus.targetBegin, i) + 1;
        batch.sourceWidth = std::max(batch.sourceWidth, source);
        batch.targetWidth = std::max(batch.targetWidth, target);
        batch.sourceTokens += source;
        batch.labelCount += target;
    }
    batch.source.assign(static_cast<std::size_t>(batch.rows * batch.sourceWidth), kPad);
    batch.targetIn.assign(static_cast<std::size_t>(batch.rows * batch.targetWidth), kPad);
    batch.positions.reserve(static_cast<std::size_t>(batch.labelCount));
    batch.labels.reserve(static_cast<std::size_t>(batch.labelCount));
    for (std::int64_t row = 0; row < batch.rows; ++row) {
        const std::int64_t i = indices[static_cast<std::size_t>(row)];
        const auto sentence = static_cast<std::size_t>(i);
        const auto source = corpus.source.begin() + corpus.sourceBegin[sentence];
        const auto sourceEnd = corpus.source.begin() + corpus.sourceBegin[sentence + 1];
        *std::copy(source, sourceEnd, batch.source.begin() + row * batch.sourceWidth) = kEos;
        const auto target = corpus.target.begin() + corpus.targetBegin[sentence];
        const auto targetEnd = corpus.target.begin() + corpus.targetBegin[sentence + 1];
        const std::int64_t first = row * batch.targetWidth;
        batch.targetIn[static_cast<std::size_t>(first)] = kSos;
        std::copy(target, targetEnd, batch.targetIn.begin() + first + 1);
        for (std::int64_t at = 0; at <= targetEnd - target; ++at) batch.positions.push_back(first + at);
        batch.labels.insert(batch.labels.end(), target, targetEnd);
        batch.labels.push_back(kEos);
    }
    return batch;
}

Batch makeRowBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices) {
    Batch batch = begin(indices);
    for (const std::int64_t i : indices) {
        batch.sourceWidth = std::max(batch.sourceWidth, rowLength(corpus, i));
        batch.sourceTokens += rowLength(corpus, i);
    }
    const auto cells = static_cast<std::size_t>(batch.rows * batch.sourceWidth);
    batch.source.assign(cells, kPad);
    if (!corpus.secondAt.empty()) batch.types.assign(cells, 0);
    for (std::int64_t row = 0; row < batch.rows; ++row) {
        const auto i = static_cast<std::size_t>(indices[static_cast<std::size_t>(row)]);
        const auto to = batch.source.begin() + row * batch.sourceWidth;
        std::copy(corpus.source.begin() + corpus.sourceBegin[i], corpus.source.begin() + corpus.sourceBegin[i + 1], to);
        if (batch.types.empty()) continue;
        const auto types = batch.types.begin() + row * batch.sourceWidth;
        std::fill(types + corpus.secondAt[i], types + rowLength(corpus, static_cast<std::int64_t>(i)), 1);
    }
    return batch;
}

Batch makeClassBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices) {
    Batch batch = makeRowBatch(corpus, indices);
    addRows(batch.labels, corpus.labelsAs<ClassLabels>().classes, indices);
    batch.labelCount = batch.rows;
    return batch;
}

Batch makeNumberBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices) {
    Batch batch = makeRowBatch(corpus, indices);
    addRows(batch.numbers, corpus.labelsAs<NumberLabels>().numbers, indices);
    batch.labelCount = batch.rows;
    return batch;
}

Batch makeTagBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices) {
    const std::vector<std::int32_t>& classes = corpus.labelsAs<TagLabels>().classes;
    Batch batch = makeRowBatch(corpus, indices);
    for (std::int64_t row = 0; row < batch.rows; ++row) {
        const auto i = static_cast<std::size_t>(indices[static_cast<std::size_t>(row)]);
        for (std::int64_t at = 0; at < rowLength(corpus, static_cast<std::int64_t>(i)); ++at) {
            const std::int32_t tag = classes[static_cast<std::size_t>(corpus.sourceBegin[i] + at)];
            if (tag >= 0) addLabel(batch, row * batch.sourceWidth + at, tag);
        }
    }
    return batch;
}

Batch makeSpanBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices) {
    Batch batch = makeRowBatch(corpus, indices);
    const auto& labels = corpus.labelsAs<SpanLabels>();
    for (const auto* column : {&labels.first, &labels.last}) addRows(batch.labels, *column, indices);
    batch.labelCount = 2 * batch.rows;
    return batch;
}

Batch makeCausalBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, Documents documents) {
    const bool areApart = documents == Documents::Apart;
    Batch batch = begin(indices);
    for (const std::int64_t i : indices) batch.targetWidth = std::max(batch.targetWidth, rowLength(corpus, i) - 1);
    batch.targetIn.assign(static_cast<std::size_t>(batch.rows * batch.targetWidth), kPad);
    for (std::int64_t row = 0; row < batch.rows; ++row) {
        const auto i = static_cast<std::size_t>(indices[static_cast<std::size_t>(row)]);
        const auto* words = corpus.source.data() + corpus.sourceBegin[i];
        const std::int64_t first = row * batch.targetWidth, count = rowLength(corpus, static_cast<std::int64_t>(i)) - 1;
        for (std::int64_t at = 0; at < count; ++at) {
            batch.targetIn[static_cast<std::size_t>(first + at)] = areApart && words[at] == kEos ? kSos : words[at];
            addLabel(batch, first + at, words[at + 1]);
        }
    }
    if (areApart) batch.documents = documentNumbers(batch.targetIn, batch.targetWidth);
    batch.sourceTokens = batch.labelCount;
    return batch;
}

std::int64_t workTokensOf(const EncodedCorpus& corpus, std::int64_t row, TaskKind::Target target) {
    if (target == TaskKind::Target::Translation) return lengthAt(corpus.targetBegin, row) + 1;
    return rowLength(corpus, row) - (target == TaskKind::Target::NextToken ? 1 : 0);
}

Batch makeImageBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t side) {
    const auto& [images, height, width] = corpus.images;
    if (side <= 0 || height % side != 0 || width % side != 0)
        throwInvalid(fmt::format("images of {} x {} pixels do not divide into patches of {}", height, width, side),
                     "variant, embed.size", "choose a size that divides width and height");
    Batch batch = begin(indices);
    const std::int64_t down = height / side, across = width / side, pixels = height * width;
    batch.sourceWidth = down * across;
    batch.sourceTokens = batch.rows * batch.sourceWidth;
    batch.source.assign(static_cast<std::size_t>(batch.sourceTokens), kEos);
    batch.patches.reserve(static_cast<std::size_t>(batch.rows * pixels));
    for (const std::int64_t i : indices) {
        const std::uint8_t* image = images.data() + i * pixels;
        for (std::int64_t patch = 0; patch < batch.sourceWidth; ++patch) {
            const std::uint8_t* corner = image + patch / across * side * width + patch % across * side;
            for (std::int64_t y = 0; y < side; ++y)
                for (std::int64_t x = 0; x < side; ++x)
                    batch.patches.push_back(static_cast<float>(corner[y * width + x]) / 255.0F);
        }
    }
    addRows(batch.labels, corpus.labelsAs<ClassLabels>().classes, indices);
    batch.labelCount = batch.rows;
    return batch;
}

Batch makeCorruptBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t epoch,
                       const Corruption& how) {
    Batch batch = makeRowBatch(corpus, indices);
    if (how.documents == Documents::Apart) batch.documents = documentNumbers(batch.source, batch.sourceWidth);
    for (std::int64_t row = 0; row < batch.rows; ++row) {
        const std::int64_t i = indices[static_cast<std::size_t>(row)];
        // Epoch and example number share one counter: example numbers are below 2^40.
        const auto stream = static_cast<std::uint64_t>(epoch) << 40 | static_cast<std::uint64_t>(i);
        RowCorruption corruption(how, ShuffleRandom(how.seed, stream, kCorruptPurpose));
        std::vector<std::int64_t> chosen, words;
        for (std::int64_t at = 0; at < rowLength(corpus, i); ++at) {
            const std::int64_t position = row * batch.sourceWidth + at;
            const std::int64_t id = batch.source[static_cast<std::size_t>(position)];
            if (!RowCorruption::isMark(id)) words.push_back(position);
            if (corruption.chooses(id)) chosen.push_back(position);
        }
        if (chosen.empty() && !words.empty() && !how.everyPosition) chosen.push_back(words[corruption.below(words.size())]);
        if (how.everyPosition)
            for (const std::int64_t position : words)
                addLabel(batch, position, batch.source[static_cast<std::size_t>(position)]);
        for (const std::int64_t position : chosen) {
            std::int64_t& id = batch.source[static_cast<std::size_t>(position)];
            if (!how.everyPosition) addLabel(batch, position, id);
            id = corruption.replacement(id);
        }
    }
    return batch;
}

}  // namespace heddle
