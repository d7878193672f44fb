// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/batch.h"

#include "engine/base/check.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle {
namespace {

constexpr std::int64_t kRowCountsPerOctave = 8;  ///< row counts between n and 2n
constexpr std::int64_t kLabelSteps = 16;         ///< label counts up to all positions

std::int64_t up(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// Rounds rows up to the multiple, many rows to a larger one, by at most an eighth.
std::int64_t roundedRows(std::int64_t rows, std::int64_t multiple) {
    std::int64_t step = multiple;
    while (rows > 2 * kRowCountsPerOctave * step) step *= 2;
    return up(rows, step);
}

struct Size {
    std::int64_t rows = 0, width = 0;
};

/// Copies row-major values into a larger array filled with `filler`; an empty one stays empty.
template <class Number>
std::vector<Number> grown(const std::vector<Number>& values, const Size& from, const Size& to, Number filler) {
    if (values.empty()) return values;
    std::vector<Number> larger(static_cast<std::size_t>(to.rows * to.width), filler);
    for (std::int64_t row = 0; row < from.rows; ++row)
        std::copy_n(values.begin() + row * from.width, from.width, larger.begin() + row * to.width);
    return larger;
}

/// Maps positions in the flattened `from` to `to`, and rounds up the number of labels: to all positions if most have one,
/// otherwise to a multiple of a sixteenth of them. Otherwise every batch would have its own shape, because the number of labels
/// varies.
void moveLabels(Batch& batch, const Size& from, const Size& to, std::int64_t multiple) {
    for (std::int64_t& position : batch.positions) position = position / from.width * to.width + position % from.width;
    const auto count = static_cast<std::int64_t>(batch.positions.size()), all = to.rows * to.width;
    const std::int64_t rounded = up(count, std::max(multiple, up(all / kLabelSteps, multiple)));
    if (2 * rounded < all) {
        batch.positions.resize(static_cast<std::size_t>(rounded), batch.positions.back());
        batch.labels.resize(batch.positions.size(), kIgnoredLabel);
        return;
    }
    std::vector<std::int64_t> labels(static_cast<std::size_t>(all), kIgnoredLabel);
    for (std::size_t i = 0; i < batch.positions.size(); ++i)
        labels[static_cast<std::size_t>(batch.positions[i])] = batch.labels[i];
    batch.labels = std::move(labels);
    batch.positions.resize(static_cast<std::size_t>(all));
    std::iota(batch.positions.begin(), batch.positions.end(), 0);
}

std::vector<std::int64_t> orderOf(const std::vector<std::int64_t>& ids) {
    std::vector<std::int64_t> order(ids.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t position) { return ids[static_cast<std::size_t>(position)]; });
    return order;
}

}  // namespace

std::vector<std::int64_t> columnSizes(ColumnShape shape, std::int64_t count, std::int64_t rows, std::int64_t sourceWidth) {
    switch (shape) {
    case ColumnShape::Source:
    case ColumnShape::Target:
    case ColumnShape::Input: return {rows, count / rows};
    case ColumnShape::Patches: return {rows, sourceWidth, count / (rows * sourceWidth)};
    case ColumnShape::List: break;
    }
    return {count};
}

Batch roundedUp(const Batch& batch, std::int64_t multiple, std::int64_t longest) {
    HEDDLE_CHECK(batch.sourceOrder.empty() && batch.targetOrder.empty());  // they would miss the added positions
    if (multiple <= 1 || batch.rows == 0 || !batch.patches.empty()) return batch;
    const auto widened = [&](std::int64_t width) { return std::max(width, std::min(up(width, multiple), longest)); };
    const bool labelsPositions = !batch.positions.empty();
    const std::int64_t rows = labelsPositions ? roundedRows(batch.rows, multiple) : batch.rows;
    const Size source{batch.rows, batch.sourceWidth}, target{batch.rows, batch.targetWidth};
    const Size sourceTo{rows, widened(source.width)}, targetTo{rows, widened(target.width)};

    Batch rounded = batch;
    rounded.rows = rows;
    rounded.sourceWidth = sourceTo.width;
    rounded.targetWidth = targetTo.width;
    forEachBatchColumn([&](const auto& column) {
        auto& values = rounded.*column.values;
        const ColumnShape ofInput = batch.targetIn.empty() ? ColumnShape::Source : ColumnShape::Target;
        const ColumnShape shape = column.shape == ColumnShape::Input ? ofInput : column.shape;
        if (shape == ColumnShape::Source) values = grown(values, source, sourceTo, column.padding);
        if (shape == ColumnShape::Target) values = grown(values, target, targetTo, column.padding);
    });
    if (labelsPositions && batch.targetIn.empty()) moveLabels(rounded, source, sourceTo, multiple);
    if (labelsPositions && !batch.targetIn.empty()) moveLabels(rounded, target, targetTo, multiple);
    return rounded;
}

Batch withOrders(Batch batch) {
    batch.sourceOrder = orderOf(batch.source);
    batch.targetOrder = orderOf(batch.targetIn);
    return batch;
}

}  // namespace heddle
