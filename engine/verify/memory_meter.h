// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/cost.h"

#include <cstdint>
#include <memory>

namespace heddle::verify {

/// Bytes of CPU tensors that are made and freed while it lives, on this thread and in backward passes that it starts. Tensors
/// that were there before are not seen. As the allocator reports them to PyTorch's profiler; one meter at a time.
class MemoryMeter {
public:
    MemoryMeter();
    ~MemoryMeter();
    MemoryMeter(const MemoryMeter&) = delete;
    MemoryMeter& operator=(const MemoryMeter&) = delete;

    std::int64_t now() const;   ///< bytes that are there
    std::int64_t peak() const;  ///< the most since the start or since forgetPeak()
    void forgetPeak();

private:
    class Ledger;
    struct Guard;
    std::shared_ptr<Ledger> ledger_;
    std::unique_ptr<Guard> guard_;
};

/// What one training step really took.
struct MeasuredStep {
    double activationBytes = 0;  ///< there after the forward pass and not before it, without the logits
    double peakBytes = 0;        ///< with parameters and moments
};

/// Builds the model in float32 on the CPU and trains one step on a batch of that shape, without padding.
MeasuredStep measureStep(const ResolvedVariant& variant, const BatchShape& shape);

/// What a fused attention holds in such a step on this CPU.
BatchShape::FusedAttention fusedAttentionHere();

}  // namespace heddle::verify
