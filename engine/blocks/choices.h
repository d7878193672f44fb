// SPDX-License-Identifier: Apache-2.0
// The choices that a slot's interface (block.h) and the options of its blocks share, and the activation functions.
#pragma once

#include "engine/spec/places.h"

namespace heddle {

/// Gelu: exact, by erf; GeluTanh: its usual approximation; Relu2: the square of ReLU; None: the identity.
enum class Activation { Sigmoid, Relu, Gelu, GeluTanh, Silu, Tanh, Hardtanh, Relu2, None };
template <>
struct ChoiceWords<Activation> {
    static constexpr ChoiceWord<Activation> kAll[] = {
        {"sigmoid", Activation::Sigmoid},    {"relu", Activation::Relu},   {"gelu", Activation::Gelu},
        {"gelu_tanh", Activation::GeluTanh}, {"silu", Activation::Silu},   {"tanh", Activation::Tanh},
        {"hardtanh", Activation::Hardtanh},  {"relu2", Activation::Relu2}, {"none", Activation::None}};
};

/// Whether dropout of the sublayer's output comes after or before the adjuster.
enum class DropoutOrder { AfterAdjuster, BeforeAdjuster };
template <>
struct ChoiceWords<DropoutOrder> {
    static constexpr ChoiceWord<DropoutOrder> kAll[] = {{"after_adjuster", DropoutOrder::AfterAdjuster},
                                                        {"before_adjuster", DropoutOrder::BeforeAdjuster}};
};

/// Where the position is added: once, to the input, or before every layer.
enum class PositionWhere { Input, EveryLayer };
template <>
struct ChoiceWords<PositionWhere> {
    static constexpr ChoiceWord<PositionWhere> kAll[] = {{"input", PositionWhere::Input},
                                                         {"every_layer", PositionWhere::EveryLayer}};
};

}  // namespace heddle
