// SPDX-License-Identifier: Apache-2.0
// What Heddle's kernels move, by their arguments. The counts of a kernel's operands are in engine/device/cuda_arguments.h.
#include "tests/dev/engine/launch_cost.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

using cuda::ElementType;

constexpr double kFloat = 4, kDouble = 8, kHalf = 2, kBitsOfByte = 8;  // bytes; bits
/// Instructions a second of all lanes of an H100, and of an element of the softmax of scores.
constexpr double kLanesPerSecond = 132.0 * 4 * 32 * 1.6e9, kScoreInstructions = 45, kScoreBackwardInstructions = 30;
/// The embedding's kernel reads all ids for each of them (8 bytes, of which 40 % come from the caches), and once more for each
/// id that occurs (about a third) and 128 columns, at the speed of the second cache.
constexpr double kCachedIds = 0.4, kShareOfIds = 0.33, kColumnsOfIds = 128, kCacheBytesPerSecond = 4.5e12;

double of(ElementType type) { return type == ElementType::BFloat16 ? kHalf : kFloat; }
double ifThere(const void* operand, double bytes) { return operand ? bytes : 0; }
double elementsOf(const cuda::ScoreShape& s) {
    return static_cast<double>(s.batch) * static_cast<double>(s.heads) * static_cast<double>(s.queries) *
           static_cast<double>(s.keys);
}
std::string sized(std::initializer_list<std::int64_t> sizes) {
    std::string text;
    for (const std::int64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
    return text;
}
std::string sized(const cuda::ScoreShape& s) { return sized({s.batch, s.heads, s.queries, s.keys}); }
/// "BxHxQxKxE".
std::string sizedHeads(const cuda::AttentionArguments& a) { return sized(a.shape) + "x" + std::to_string(a.width); }
/// Bytes of so many tensors [B,H,Q,E] and so many [B,H,K,E].
double headBytes(const cuda::AttentionArguments& a, double ofQueries, double ofKeys) {
    const cuda::ScoreShape& s = a.shape;
    const double rows = ofQueries * static_cast<double>(s.queries) + ofKeys * static_cast<double>(s.keys);
    return static_cast<double>(s.batch * s.heads * a.width) * rows * kHalf;
}
LaunchCost moving(double elements, double bytesEach, std::string sizes) {
    return costOfMoving(elements * bytesEach, 1, std::move(sizes));
}
/// Of an elementwise kernel that adds up so many gradients over parts of the rows, too.
template <class Arguments>
LaunchCost movingWithSums(const Arguments& a, double bytesEach, int sums) {
    const double bytes = static_cast<double>(a.rows * a.columns) * bytesEach +
                         static_cast<double>(sums * cuda::partsOfRows(a) * a.columns) * kFloat;
    return costOfMoving(bytes, 1, sized({a.rows, a.columns}) + ", " + sized({sums}) + " sums");
}
LaunchCost limitedBy(LaunchCost cost, double seconds) {
    cost.seconds = std::max(cost.seconds, seconds);
    return cost;
}

/// Bytes of an element of the residual's branch.
double branchBytes(const cuda::AddNormArguments& a) { return of(a.type) * (a.gate ? 2 : 1); }
double elementsOf(const cuda::PackedParameters& of) {
    return static_cast<double>(of.partCount) * static_cast<double>(cuda::kElementsPerPart);
}
std::string sized(const cuda::PackedParameters& of) { return sized({of.parameterCount}) + " parameters"; }

}  // namespace

LaunchCost costOf(const cuda::DropoutArguments& a) {
    double each = 2 * of(a.type) + ifThere(a.y16, kHalf);
    for (const void* added : a.added) each += ifThere(added, kHalf);
    return moving(static_cast<double>(a.n), each, sized({a.n}));
}

LaunchCost costOf(const cuda::ReluDropoutArguments& a) {
    return moving(static_cast<double>(a.n), 2 * of(a.type) + 1 / kBitsOfByte, sized({a.n}) + ", mask");
}

LaunchCost costOf(const cuda::ProductArguments& a) {
    const cuda::ProductShape& s = a.shape;
    const auto count = [](std::int64_t rows, std::int64_t columns) { return static_cast<double>(rows * columns); };
    const double dy = count(s.rows, s.outputs), x = count(s.rows, s.inputs), weight = count(s.outputs, s.inputs);
    const std::string text = sized({s.rows, s.outputs}) + " ";
    if (s.epilogue == cuda::ProductEpilogue::BiasGradient)
        return costOfProduct({1, s.outputs, s.inputs, s.rows},
                             (dy + x) * kHalf + (weight + static_cast<double>(s.outputs)) * kFloat,
                             text + sized({s.rows, s.inputs}) + " -> " + sized({s.outputs, s.inputs}) + ", sums");
    return costOfProduct({1, s.rows, s.inputs, s.outputs}, (dy + weight + x) * kHalf + x / kBitsOfByte,
                         text + sized({s.outputs, s.inputs}) + " -> " + sized({s.rows, s.inputs}) + ", masked");
}

LaunchCost costOf(const cuda::ReluDropoutBackwardArguments& a) { return movingWithSums(a, 3 * of(a.type), a.sums ? 1 : 0); }

LaunchCost costOf(const cuda::GeluBackwardArguments& a) { return movingWithSums(a, 3 * of(a.type), a.sums ? 1 : 0); }

LaunchCost costOf(const cuda::AdjustArguments& a) {
    return moving(static_cast<double>(a.n), 2 * of(a.streamType) + 2 * of(a.type), sized({a.n}));
}

LaunchCost costOf(const cuda::AdjustBackwardArguments& a) {
    return movingWithSums(a, of(a.streamType) + 4 * of(a.type), (a.daSums ? 1 : 0) + (a.deSums ? 1 : 0));
}

LaunchCost costOf(const cuda::AddNormArguments& a) {
    return moving(static_cast<double>(a.rows * a.width),
                  2 * kFloat + branchBytes(a) + ifThere(a.y16, kHalf) + ifThere(a.z, kFloat), sized({a.rows, a.width}));
}

LaunchCost costOf(const cuda::AddNormBackwardArguments& a) {
    const cuda::AddNormArguments& f = a.forward;
    const std::int64_t partials = cuda::partialsOf(f.rows, a.rowsPerPartial);
    const double ofSum = f.z ? kFloat + ifThere(f.gate, 2 * of(f.type)) : kFloat + branchBytes(f);
    const double each = ofSum + kFloat + branchBytes(f) + ifThere(a.dy, kFloat) + ifThere(a.dy16, kHalf) +
                        ifThere(a.otherDy16, kHalf) + ifThere(a.dz, kFloat);
    const std::int64_t sums = 2 + (a.dsSums ? 1 : 0) + (a.dgateSums ? 1 : 0);
    return costOfMoving(static_cast<double>(f.rows * f.width) * each + static_cast<double>(sums * partials * f.width) * kFloat,
                        1, sized({f.rows, f.width}) + ", " + sized({sums, partials}) + " partial sums");
}

LaunchCost costOf(const cuda::TanhUpdateArguments& a) {
    return moving(static_cast<double>(a.rows * a.width),
                  2 * kFloat + of(a.type) + ifThere(a.direct, of(a.type)) + ifThere(a.y16, kHalf), sized({a.rows, a.width}));
}

LaunchCost costOf(const cuda::TanhUpdateBackwardArguments& a) {
    const cuda::TanhUpdateArguments& f = a.forward;
    const double each = 2 * of(f.type) + ifThere(f.direct, of(f.type)) + ifThere(a.dy, kFloat) + ifThere(a.dy16[0], kHalf) +
                        ifThere(a.dy16[1], kHalf) + ifThere(a.dh, kFloat);
    const std::int64_t columns = f.alphaElements > 1 ? f.width : 4, partials = cuda::partialsOf(f.rows, a.rowsPerPartial);
    return costOfMoving(
        static_cast<double>(f.rows * f.width) * each + static_cast<double>(partials * columns) * ifThere(a.dalpha, kFloat), 1,
        sized({f.rows, f.width}));
}

LaunchCost costOf(const cuda::CrossEntropyArguments& a) {
    return costOfMoving(static_cast<double>(a.rows * a.classes) * of(a.type) * (a.gradient ? 2 : 1), 2,
                        sized({a.rows, a.classes}));
}

LaunchCost costOf(const cuda::ScoreWeightsArguments& a) {
    const double elements = elementsOf(a.shape);
    const double each = 2 * of(a.rawType) + ifThere(a.dropped, of(a.rawType)) + ifThere(a.added, of(a.sumType)) +
                        ifThere(a.carried, of(a.sumType));
    return limitedBy(moving(elements, each, sized(a.shape)), elements * kScoreInstructions / kLanesPerSecond);
}

LaunchCost costOf(const cuda::ScoreWeightsBackwardArguments& a) {
    const double elements = elementsOf(a.shape);
    double each = of(a.rawType);
    for (const void* operand : {a.dweights, a.ddropped, static_cast<const void*>(a.draw)})
        each += ifThere(operand, of(a.rawType));
    for (const void* operand : {a.dcarried, static_cast<const void*>(a.dadded)}) each += ifThere(operand, of(a.sumType));
    return limitedBy(moving(elements, each, sized(a.shape)), elements * kScoreBackwardInstructions / kLanesPerSecond);
}

LaunchCost costOf(const cuda::ScoreGateArguments& a) {
    return moving(elementsOf(a.shape), 2 * of(a.scoreType) + of(a.mixedType), sized(a.shape));
}

LaunchCost costOf(const cuda::ScoreGateBackwardArguments& a) {
    const cuda::ScoreGateArguments& f = a.forward;
    return moving(elementsOf(f.shape), 3 * of(f.scoreType) + 2 * of(f.mixedType), sized(f.shape));
}

LaunchCost costOf(const cuda::AttentionArguments& a) {
    const double scores = elementsOf(a.shape), each = of(a.carriedType);
    const double bytes = headBytes(a, 2, 2) + scores * (ifThere(a.carried, each) + ifThere(a.next, each));
    return limitedBy(costOfMoving(bytes, 1, sizedHeads(a)), scores * kScoreInstructions / kLanesPerSecond);
}

LaunchCost costOf(const cuda::AttentionBackwardArguments& a) {
    const cuda::AttentionArguments& f = a.forward;
    const double scores = elementsOf(f.shape), each = of(f.carriedType);
    const auto ofGate = static_cast<double>(cuda::partsOfSentences(a) * f.shape.heads * f.shape.keys * (f.shape.keys + 1));
    double bytes = headBytes(f, 3, 4) + ifThere(a.dgate, ofGate * kFloat);
    for (const void* operand : {f.carried, a.dnext, static_cast<const void*>(a.dcarried)})
        bytes += scores * ifThere(operand, each);
    return limitedBy(costOfMoving(bytes, 1, sizedHeads(f)),
                     scores * (kScoreInstructions + kScoreBackwardInstructions) / kLanesPerSecond);
}

LaunchCost costOf(const cuda::SplitWeightsArguments& a) {
    const double elements = elementsOf(a.shape);
    return limitedBy(moving(elements, (1 + a.parts) * of(a.type), sized(a.shape)),
                     elements * kScoreInstructions / kLanesPerSecond);
}

LaunchCost costOf(const cuda::SplitWeightsBackwardArguments& a) {
    const cuda::SplitWeightsArguments& f = a.forward;
    const double elements = elementsOf(f.shape);
    return limitedBy(moving(elements, (1 + 2 * f.parts) * of(f.type), sized(f.shape)),
                     elements * kScoreBackwardInstructions / kLanesPerSecond);
}

LaunchCost costOf(const cuda::ScatterRowsArguments& a) {
    return moving(static_cast<double>(a.rows * a.width), 2 * of(a.type), sized({a.rows, a.width}));
}

LaunchCost costOf(const cuda::EmbeddingGradientArguments& a) {
    const auto rows = static_cast<double>(a.rows);
    const double found = std::min(rows, static_cast<double>(a.words)) * kShareOfIds;
    const double blocks = std::ceil(static_cast<double>(a.width) / kColumnsOfIds);
    const double idBytes = rows * rows * kDouble * kCachedIds + found * blocks * rows * kDouble;
    return limitedBy(moving(rows * static_cast<double>(a.width), 2 * of(a.type), sized({a.rows, a.width, a.words})),
                     idBytes / kCacheBytesPerSecond);
}

/// Each row once; order and ids once for each block of columns.
LaunchCost costOf(const cuda::SortedEmbeddingGradientArguments& a) {
    const auto rows = static_cast<double>(a.of.rows), width = static_cast<double>(a.of.width);
    const double found = std::min(rows, static_cast<double>(a.of.words)) * kShareOfIds;
    double bytes = (rows + 2 * found) * width * of(a.of.type) + 4 * std::ceil(width / kColumnsOfIds) * rows * kDouble;
    for (const void* added : a.added) bytes += rows * width * ifThere(added, kHalf);
    return costOfMoving(bytes, 1, sized({a.of.rows, a.of.width, a.of.words}));
}

/// Rows of the table are read as often as they are named.
LaunchCost costOf(const cuda::EmbedArguments& a) {
    const double positions = static_cast<double>(a.places * a.width) * ifThere(a.positions, kFloat);
    const double each = 2 * kFloat + ifThere(a.y16, kHalf);
    return costOfMoving(static_cast<double>(a.rows) * (static_cast<double>(a.width) * each + kDouble) + positions, 1,
                        sized({a.rows, a.width, a.words}));
}

LaunchCost costOf(const cuda::ColumnSumsArguments& a) {
    return moving(static_cast<double>(a.batches * a.rows * a.columns), of(a.type), sized({a.batches, a.rows, a.columns}));
}

LaunchCost costOf(const cuda::PackedSumsArguments& a) {
    double elements = 0;
    for (std::int32_t i = 0; i < a.count; ++i) elements += static_cast<double>(a.of[i].parts) * a.of[i].columns;
    return moving(elements, kFloat, sized({a.count}) + " sums");
}

LaunchCost costOf(const cuda::HistogramArguments& a) { return moving(static_cast<double>(a.n), of(a.type), sized({a.n})); }

LaunchCost costOf(const cuda::GradientSquaresArguments& a) { return moving(elementsOf(a.of), kFloat, sized(a.of)); }

LaunchCost costOf(const cuda::GradientNormArguments& a) {
    return moving(static_cast<double>(a.of.partCount), 2 * kDouble, sized(a.of));
}

/// Reads value, gradient and both moments, writes value, moments and the bfloat16 copy.
LaunchCost costOf(const cuda::AdamArguments& a) { return moving(elementsOf(a.of), 7 * kFloat + kHalf, sized(a.of)); }

LaunchCost costOf(const cuda::StepRingArguments& /*a*/) {
    return costOfMoving(2 * kFloat * cuda::StepRingArguments::kColumns, 1, "");
}

}  // namespace heddle
