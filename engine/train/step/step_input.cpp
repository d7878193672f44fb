// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/step_input.h"

#include "engine/device/pinned_memory.h"
#include "engine/device/torch_pch.h"

#include <cstring>
#include <type_traits>

namespace heddle {
namespace {

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
    StepShape shape;
    shape.rows = batch.rows;
    shape.sourceWidth = batch.sourceWidth;
    shape.targetWidth = batch.targetWidth;
    forEachBatchColumn([&](const auto& column) { shape.entries.at(column.number) = std::ssize(batch.*column.values); });
    shape.sourcePadding = paddingAmong(batch.source, batch.rows);
    shape.targetPadding = paddingAmong(batch.targetIn, batch.rows);
    shape.rates = std::ssize(numbers.learningRates);
    shape.part = numbers.part;
    shape.isWatched = numbers.sampled.has_value();
    if (numbers.sampled) shape.sampledSource = std::ssize(numbers.sampled->source);
    if (numbers.sampled) shape.sampledTarget = std::ssize(numbers.sampled->target);
    return shape;
}

StepShape unwatched(const StepShape& shape) {
    StepShape plain = shape;
    plain.isWatched = false;
    plain.sampledSource = plain.sampledTarget = 0;
    return plain;
}

StepInput::StepInput(const StepShape& shape, const at::Device& device) : shape_(shape) {
    constexpr std::int64_t kLong = sizeof(std::int64_t), kFloat = sizeof(float);
    std::int64_t bytes = 4 * kPieceAlignment + paddedBytes(shape.rates, kFloat);
    forEachBatchColumn(
        [&](const auto& column) { bytes += paddedBytes(shape.entries.at(column.number), sizeof column.padding); });
    for (const std::int64_t sampled : {shape.sampledSource, shape.sampledTarget}) bytes += paddedBytes(sampled, kLong);
    bytes_ = at::empty({bytes}, at::TensorOptions(at::kByte).device(device));

    step_ = nextSlice(at::kLong, {});
    counters_ = nextSlice(at::kLong, {});
    scale_ = nextSlice(at::kDouble, {});
    share_ = nextSlice(at::kDouble, {});
    learningRates_G_ = nextSlice(at::kFloat, {shape.rates});
    forEachBatchColumn([&](const auto& column) {
        const std::int64_t count = shape.entries.at(column.number);
        if (count == 0) return;
        const auto type = c10::CppTypeToScalarType<std::decay_t<decltype(column.padding)>>::value;
        batch_.column(column.number) = nextSlice(type, columnSizes(column.shape, count, shape.rows, shape.sourceWidth));
    });
    if (shape.sampledSource > 0) sampledSource_ = nextSlice(at::kLong, {shape.sampledSource});
    if (shape.sampledTarget > 0) sampledTarget_ = nextSlice(at::kLong, {shape.sampledTarget});
    batch_.sourcePadding = shape.sourcePadding;
    batch_.targetPadding = shape.targetPadding;
}

/// The next part of the memory, as a tensor.
at::Tensor StepInput::nextSlice(at::ScalarType type, at::IntArrayRef sizes) {
    const auto size = static_cast<std::int64_t>(at::elementSize(type)), count = c10::multiply_integers(sizes);
    at::Tensor part = bytes_.narrow(0, taken_, count * size).view(type).view(sizes);
    taken_ += paddedBytes(count, size);
    return part;
}

void StepInput::set(const Batch& batch, const StepNumbers& numbers) {
    TORCH_CHECK(shapeOf(batch, numbers) == shape_, "a batch of another shape");
    const bool isPinned = bytes_.is_cuda();
    const at::Tensor host = isPinned ? pinnedTensor(bytes_.sizes(), at::kByte) : bytes_;
    Packed packed(reinterpret_cast<std::byte*>(host.data_ptr<std::uint8_t>()));
    packed.add(&numbers.step, 1);
    const std::int64_t counters = numbers.step + (numbers.microBatch << 32);
    packed.add(&counters, 1);
    packed.add(&numbers.scale, 1);
    packed.add(&numbers.share, 1);
    packed.add(numbers.learningRates);
    forEachBatchColumn([&](const auto& column) { packed.add(batch.*column.values); });
    if (numbers.sampled) {
        packed.add(numbers.sampled->source);
        packed.add(numbers.sampled->target);
    }
    if (isPinned) bytes_.copy_(host, /*non_blocking=*/true);
}

}  // namespace heddle
