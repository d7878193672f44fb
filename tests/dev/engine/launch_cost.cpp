// SPDX-License-Identifier: Apache-2.0
// The cost of ATen's operators. kernel_cost.cpp has the cost of Heddle's kernels.
#include "tests/dev/engine/launch_cost.h"

#include "engine/device/torch_pch.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heddle {
namespace {

constexpr double kMultiprocessors = 132, kBytesPerSecond = 2.5e12;
constexpr double kShortest = 1.6e-6, kNode = 1.0e-6;  // seconds: a kernel, its node in a graph
constexpr double kStartOfProduct = 1.5e-6;
constexpr std::int64_t kShortestSplit = 256;  // of the inner axis of a product

double bytesOf(const at::Tensor& x) {
    if (!x.defined()) return 0;
    double count = 1;
    for (std::int64_t axis = 0; axis < x.dim(); ++axis)
        if (x.stride(axis) != 0) count *= static_cast<double>(x.size(axis));
    return count * static_cast<double>(x.element_size());
}

double bytesOf(const std::vector<at::Tensor>& all) {
    double sum = 0;
    for (const at::Tensor& x : all) sum += bytesOf(x);
    return sum;
}

std::string sizesOf(const at::Tensor& x) {
    if (!x.defined()) return "-";
    std::string text(1, static_cast<char>(std::tolower(c10::toString(x.scalar_type())[0])));
    for (std::int64_t axis = 0; axis < x.dim(); ++axis) text += (axis > 0 ? "x" : "") + std::to_string(x.size(axis));
    return text;
}

std::string sizesOf(const std::vector<at::Tensor>& operands, const std::vector<at::Tensor>& results) {
    std::string text;
    for (const at::Tensor& x : operands) text += sizesOf(x) + " ";
    text += "->";
    for (const at::Tensor& x : results) text += " " + sizesOf(x);
    return text;
}

/// Operations a second of one multiprocessor.
double rateOf(at::ScalarType type) {
    if (type == at::kBFloat16 || type == at::kHalf) return 5.0e12;
    return at::globalContext().allowTF32CuBLAS() ? 2.5e12 : 0.5e12;
}

struct Tile {
    std::int64_t rows, columns;
    double efficiency;
};
constexpr std::array<Tile, 6> kTiles{
    {{128, 256, 1.0}, {256, 128, 1.0}, {128, 128, 0.85}, {128, 64, 0.65}, {64, 128, 0.65}, {64, 64, 0.45}}};

std::int64_t roundedUp(std::int64_t size, std::int64_t unit) { return (size + unit - 1) / unit; }

/// The best choice of tile and of parts of the inner axis, whose sums are added afterwards.
double secondsOf(const ProductSizes& p, double rate, double bytes) {
    double best = INFINITY;
    for (const Tile& tile : kTiles) {
        for (const std::int64_t parts : {1, 2, 4, 8, 16}) {
            if (parts > 1 && (p.k < kShortestSplit * parts || p.b > 1)) continue;
            const auto tiles = static_cast<double>(p.b * roundedUp(p.m, tile.rows) * roundedUp(p.n, tile.columns) * parts);
            const double work = 2.0 * static_cast<double>(tile.rows * tile.columns) * static_cast<double>(p.k) /
                                static_cast<double>(parts) / (rate * tile.efficiency);
            double seconds = std::ceil(tiles / kMultiprocessors) * work + kStartOfProduct;
            if (parts > 1)
                seconds += kStartOfProduct + static_cast<double>(p.m * p.n * parts) * sizeof(float) / kBytesPerSecond / 2;
            best = std::min(best, seconds);
        }
    }
    return std::max(best, bytes / kBytesPerSecond);
}

bool isProduct(const std::string& name) { return name == "mm" || name == "addmm" || name == "bmm" || name == "baddbmm"; }

LaunchCost costOfMultiplying(const std::string& name, const std::vector<at::Tensor>& operands,
                             const std::vector<at::Tensor>& results) {
    const std::size_t first = name == "addmm" || name == "baddbmm" ? 1 : 0;
    const at::Tensor &a = operands.at(first), &b = operands.at(first + 1);
    const ProductSizes p{a.dim() > 2 ? a.size(0) : 1, a.size(-2), b.size(-1), a.size(-1)};
    const double bytes = bytesOf(operands) + bytesOf(results);
    return {bytes, secondsOf(p, rateOf(a.scalar_type()), bytes) + kNode, sizesOf(operands, results)};
}

}  // namespace

LaunchCost costOfProduct(const ProductSizes& product, double bytes, std::string sizes) {
    return {bytes, secondsOf(product, rateOf(at::kBFloat16), bytes) + kNode, std::move(sizes)};
}

LaunchCost costOfMoving(double bytes, int launches, std::string sizes) {
    return {bytes, std::max(bytes / kBytesPerSecond, kShortest) + kNode * launches, std::move(sizes)};
}

LaunchCost costOfOperator(const std::string& name, const std::vector<at::Tensor>& operands,
                          const std::vector<at::Tensor>& results) {
    if (isProduct(name)) return costOfMultiplying(name, operands, results);
    const bool takesRows = name == "embedding" || name == "index_select";  // reads of the table what it gives
    const bool onlyWrites = name == "zero_" || name == "fill_";            // though its result is an operand
    const double read = takesRows ? bytesOf(results) : onlyWrites ? 0 : bytesOf(operands), bytes = read + bytesOf(results);
    return costOfMoving(bytes, 1, sizesOf(operands, results));
}

LaunchCost costOfAttention(bool isBackward, const std::vector<at::Tensor>& operands, const std::vector<at::Tensor>& results) {
    constexpr std::int64_t kTile = 128, kMostPadding = 4;
    constexpr double kPasses = 1.3;  // over the operands
    const at::Tensor &q = operands.at(0), &k = operands.at(1);
    const auto size = [&](std::int64_t axis) { return static_cast<double>(q.size(axis)); };
    const auto keys = static_cast<double>(k.size(2));
    const double operations = (isBackward ? 10 : 4) * size(0) * size(1) * size(2) * keys * size(3);
    const double padded = static_cast<double>(roundedUp(q.size(2), kTile) * roundedUp(k.size(2), kTile)) * kTile * kTile;
    const double padding = std::min(padded / (size(2) * keys), static_cast<double>(kMostPadding));
    const double bytes = bytesOf(operands) + bytesOf(results), rate = isBackward ? 160e12 : 220e12;
    const double start = isBackward ? 8e-6 : 3e-6;
    const int launches = isBackward ? 3 : 1;
    return {bytes, std::max(operations * padding / rate, bytes * kPasses / kBytesPerSecond) + start + kNode * launches,
            sizesOf(operands, results)};
}

}  // namespace heddle
