// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/round_batch.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

constexpr std::int64_t kIgnored = -1;

constexpr std::int64_t kCountsAnOctave = 8;  ///< row counts between a number and twice that number
constexpr std::int64_t kAnswerSteps = 16;    ///< numbers of answers up to all positions

std::int64_t up(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// Rows are rounded up to the multiple, many rows to a larger one: by an eighth at most.
std::int64_t roundedRows(std::int64_t rows, std::int64_t multiple) {
    std::int64_t step = multiple;
    while (rows > 2 * kCountsAnOctave * step) step *= 2;
    return up(rows, step);
}

struct Size {
    std::int64_t rows = 0, width = 0;
};

/// Row-major values in a larger array, `filler` around them; an empty one stays empty.
std::vector<std::int64_t> grown(const std::vector<std::int64_t>& values, const Size& from, const Size& to,
                                std::int64_t filler) {
    if (values.empty()) return values;
    std::vector<std::int64_t> larger(static_cast<std::size_t>(to.rows * to.width), filler);
    for (std::int64_t row = 0; row < from.rows; ++row)
        std::copy_n(values.begin() + row * from.width, from.width, larger.begin() + row * to.width);
    return larger;
}

/// Positions in the flattened `from`, as they lie in `to`. Every position is asked where most are; else a sixteenth of them, or
/// two …: how many answers a batch wants differs from batch to batch, and would make every batch a shape of its own.
void moveAnswers(Batch& batch, const Size& from, const Size& to, std::int64_t multiple) {
    for (std::int64_t& position : batch.positions) position = position / from.width * to.width + position % from.width;
    const auto wanted = static_cast<std::int64_t>(batch.positions.size()), all = to.rows * to.width;
    const std::int64_t asked = up(wanted, std::max(multiple, up(all / kAnswerSteps, multiple)));
    if (2 * asked < all) {
        batch.positions.resize(static_cast<std::size_t>(asked), batch.positions.back());
        batch.targets.resize(batch.positions.size(), kIgnored);
        return;
    }
    std::vector<std::int64_t> targets(static_cast<std::size_t>(all), kIgnored);
    for (std::size_t i = 0; i < batch.positions.size(); ++i)
        targets[static_cast<std::size_t>(batch.positions[i])] = batch.targets[i];
    batch.targets = std::move(targets);
    batch.positions.resize(static_cast<std::size_t>(all));
    std::iota(batch.positions.begin(), batch.positions.end(), 0);
}

}  // namespace

Batch roundedUp(const Batch& batch, std::int64_t multiple, std::int64_t longest) {
    if (multiple <= 1 || batch.rows == 0 || !batch.patches.empty()) return batch;
    const auto widened = [&](std::int64_t width) { return std::max(width, std::min(up(width, multiple), longest)); };
    const bool asksPositions = !batch.positions.empty();
    const std::int64_t rows = asksPositions ? roundedRows(batch.rows, multiple) : batch.rows;
    const Size source{batch.rows, batch.sourceWidth}, target{batch.rows, batch.targetWidth};
    const Size sourceTo{rows, widened(source.width)}, targetTo{rows, widened(target.width)};

    Batch rounded = batch;
    rounded.rows = rows;
    rounded.sourceWidth = sourceTo.width;
    rounded.targetWidth = targetTo.width;
    rounded.source = grown(batch.source, source, sourceTo, kPad);
    rounded.types = grown(batch.types, source, sourceTo, 0);
    rounded.targetIn = grown(batch.targetIn, target, targetTo, kPad);
    if (asksPositions && batch.targetIn.empty()) moveAnswers(rounded, source, sourceTo, multiple);
    if (asksPositions && !batch.targetIn.empty()) moveAnswers(rounded, target, targetTo, multiple);
    return rounded;
}

}  // namespace heddle
