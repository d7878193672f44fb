// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/choice_words.h"

namespace heddle {

/// The arithmetic of matrix products; parameters, optimizer state and losses are always fp32. Auto: BFloat16 on CUDA, Float32
/// on the CPU; it is a choice only, no arithmetic. TensorFloat32: products of float32 tensors use 10 mantissa bits, on CUDA
/// only. BFloat16: autocast.
enum class Precision { Auto, Float32, TensorFloat32, BFloat16 };
template <>
struct ChoiceWords<Precision> {
    static constexpr ChoiceWord<Precision> kAll[] = {{"auto", Precision::Auto},
                                                     {"fp32", Precision::Float32},
                                                     {"tf32", Precision::TensorFloat32},
                                                     {"bf16", Precision::BFloat16}};
};

}  // namespace heddle
