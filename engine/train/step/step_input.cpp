// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/step_input.h"

#include "engine/device/torch_pch.h"

#include <cstring>

namespace heddle {
namespace {

enum Extent : std::size_t {
    Rows,
    SourceWidth,
    TargetWidth,
    Source,
    Types,
    TargetIn,
    Patches,
    Positions,
    Targets,
    Numbers,
    Rates,
    IsWatched,
    SampledSource,
    SampledTarget,
    SourcePadding,
    TargetPadding
};

constexpr std::int64_t kPieceAlignment = 16;

std::int64_t paddedBytes(std::int64_t count, std::int64_t size) {
    return (count * size + kPieceAlignment - 1) / kPieceAlignment * kPieceAlignment;
}

/// Writes values consecutively, in the layout of StepInput::nextSlice().
class Packed {
public:
    explicit Packed(std::byte* to) : to_(to) {}
    template <typename Value>
    void add(const Value* values, std::size_t count) {
        std::memcpy(to_, values, count * sizeof(Value));
        to_ += paddedBytes(static_cast<std::int64_t>(count), sizeof(Value));
    }
    template <typename Value>
    void add(const std::vector<Value>& values) {
        if (!values.empty()) add(values.data(), values.size());
    }

private:
    std::byte* to_;
};

}  // namespace

StepShape shapeOf(const Batch& batch, const StepNumbers& numbers) {
    const auto count = [](const auto& values) { return static_cast<std::int64_t>(values.size()); };
    StepShape shape{};
    shape[Rows] = batch.rows;
    shape[SourceWidth] = batch.sourceWidth;
    shape[TargetWidth] = batch.targetWidth;
    shape[Source] = count(batch.source);
    shape[Types] = count(batch.types);
    shape[TargetIn] = count(batch.targetIn);
    shape[Patches] = count(batch.patches);
    shape[Positions] = count(batch.positions);
    shape[Targets] = count(batch.targets);
    shape[Numbers] = count(batch.numbers);
    shape[Rates] = count(numbers.learningRates);
    shape[IsWatched] = numbers.sampled ? 1 : 0;
    if (numbers.sampled) shape[SampledSource] = count(numbers.sampled->source);
    if (numbers.sampled) shape[SampledTarget] = count(numbers.sampled->target);
    shape[SourcePadding] = static_cast<std::int64_t>(paddingAmong(batch.source));
    shape[TargetPadding] = static_cast<std::int64_t>(paddingAmong(batch.targetIn));
    return shape;
}

StepShape unwatched(const StepShape& shape) {
    StepShape plain = shape;
    for (const Extent extent : {IsWatched, SampledSource, SampledTarget}) plain[extent] = 0;
    return plain;
}

StepInput::StepInput(const StepShape& shape, const at::Device& device) : shape_(shape) {
    constexpr std::int64_t kLong = sizeof(std::int64_t), kFloat = sizeof(float);
    std::int64_t bytes = 2 * kPieceAlignment + paddedBytes(shape[Rates], kFloat);
    for (const Extent longs : {Source, Types, TargetIn, Positions, Targets, SampledSource, SampledTarget})
        bytes += paddedBytes(shape[longs], kLong);
    for (const Extent floats : {Patches, Numbers}) bytes += paddedBytes(shape[floats], kFloat);
    bytes_ = at::empty({bytes}, at::TensorOptions(at::kByte).device(device));

    const std::int64_t rows = shape[Rows];
    step_ = nextSlice(at::kLong, {});
    scale_ = nextSlice(at::kDouble, {});
    learningRates_G_ = nextSlice(at::kFloat, {shape[Rates]});
    if (shape[Source] > 0) batch_.source_BS = nextSlice(at::kLong, {rows, shape[SourceWidth]});
    if (shape[Types] > 0) batch_.types_BS = nextSlice(at::kLong, {rows, shape[SourceWidth]});
    if (shape[TargetIn] > 0) batch_.targetIn_BT = nextSlice(at::kLong, {rows, shape[TargetWidth]});
    if (shape[Patches] > 0) {
        const std::int64_t patches = rows * shape[SourceWidth];
        batch_.patches_BSP = nextSlice(at::kFloat, {rows, shape[SourceWidth], shape[Patches] / patches});
    }
    if (shape[Positions] > 0) batch_.positions_N = nextSlice(at::kLong, {shape[Positions]});
    if (shape[Targets] > 0) batch_.targets_N = nextSlice(at::kLong, {shape[Targets]});
    if (shape[Numbers] > 0) batch_.numbers_B = nextSlice(at::kFloat, {shape[Numbers]});
    if (shape[SampledSource] > 0) sampledSource_ = nextSlice(at::kLong, {shape[SampledSource]});
    if (shape[SampledTarget] > 0) sampledTarget_ = nextSlice(at::kLong, {shape[SampledTarget]});
    batch_.sourcePadding = static_cast<Padding>(shape[SourcePadding]);
    batch_.targetPadding = static_cast<Padding>(shape[TargetPadding]);
}

bool StepInput::isWatched() const { return shape_[IsWatched] != 0; }

/// The next part of the memory, as a tensor.
at::Tensor StepInput::nextSlice(at::ScalarType type, at::IntArrayRef sizes) {
    const auto size = static_cast<std::int64_t>(at::elementSize(type)), count = c10::multiply_integers(sizes);
    at::Tensor part = bytes_.narrow(0, taken_, count * size).view(type).view(sizes);
    taken_ += paddedBytes(count, size);
    return part;
}

void StepInput::set(const Batch& batch, const StepNumbers& numbers) {
    TORCH_CHECK(shapeOf(batch, numbers) == shape_, "a batch of another shape");
    const bool isPinned = bytes_.is_cuda();  // the allocator reuses pinned memory only after the copy
    const at::Tensor host = isPinned ? at::empty(bytes_.sizes(), at::TensorOptions(at::kByte).pinned_memory(true)) : bytes_;
    Packed packed(reinterpret_cast<std::byte*>(host.data_ptr<std::uint8_t>()));
    packed.add(&numbers.step, 1);
    packed.add(&numbers.scale, 1);
    packed.add(numbers.learningRates);
    packed.add(batch.source);
    packed.add(batch.types);
    packed.add(batch.targetIn);
    packed.add(batch.patches);
    packed.add(batch.positions);
    packed.add(batch.targets);
    packed.add(batch.numbers);
    if (numbers.sampled) {
        packed.add(numbers.sampled->source);
        packed.add(numbers.sampled->target);
    }
    if (isPinned) bytes_.copy_(host, /*non_blocking=*/true);
}

}  // namespace heddle
