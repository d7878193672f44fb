// SPDX-License-Identifier: Apache-2.0
// Task regress: texts or pairs of texts, and the number of each.
#include "engine/base/error.h"
#include "engine/data/loading/labelled_rows.h"

#include <fmt/format.h>

#include <charconv>

namespace heddle {
namespace {

float numberOf(const Example& example, const ExamplePlace& place) {
    float value = 0;
    const char* end = example.label.data() + example.label.size();
    const auto [stop, error] = std::from_chars(example.label.data(), end, value);
    if (error != std::errc() || stop != end)
        throwInvalid(fmt::format("\"{}\" is not a number", example.label), place.text(),
                     "task regress needs a number for every example");
    return value;
}

class NumberEncoder final : public LabelEncoder {
public:
    void add(const Example& example, const ExamplePlace& place, RowEncoder& rows, EncodedCorpus& corpus) const override {
        rows.add(corpus, example);
        corpus.labelsAs<NumberLabels>().numbers.push_back(numberOf(example, place));
    }
};

}  // namespace

RunData loadNumberData(const LoadContext& context) {
    return loadLabelledRows(
        context, ExampleFormat::Kind::Number,
        [](const ExampleFormat&, const std::vector<Example>&, RunData&) { return std::make_unique<NumberEncoder>(); });
}

}  // namespace heddle
