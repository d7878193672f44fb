// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/builder.h"
#include "engine/model/recording_taps.h"
#include "engine/verify/checks.h"

#include <string>

namespace heddle::verify {

/// An encoder or a decoder without embeddings and head, as a model has it: a variant through spec, resolution and builder, in
/// one precision.
class StackUnderTest {
public:
    /// `name`: "encoder" or "decoder". The parameters hold what `init` says; the caller loads or fills them.
    StackUnderTest(const Json& document, const at::TensorOptions& options, std::string name = "encoder");

    /// The whole stack on its input x; without a context every key of x is visible.
    at::Tensor run(const at::Tensor& x_BSD, Taps* taps = nullptr) const;
    at::Tensor run(const at::Tensor& x_BSD, const MixContext& context, const Forward& f) const;
    /// The layers on h, with x as the stack's input. padding_BS: bool or undefined.
    at::Tensor runFrom(const at::Tensor& h_BSD, const at::Tensor& x_BSD, const at::Tensor& padding_BS,
                       Taps* taps = nullptr) const;

    const ParameterStore& store() const { return store_; }
    std::int64_t depth() const { return std::ssize(layersOf(variant_, name_)); }  ///< layers with weights of their own
    /// "encoder.layers.<layer>.<module>"; a negative layer counts from the last.
    std::string path(std::int64_t layer, const std::string& module) const;
    Counts counts() const { return counts(name_); }
    Counts counts(const std::string& module) const;  ///< of this module and those below it

private:
    ResolvedVariant variant_;
    std::string name_;
    ParameterStore store_;
    ModulePart<Position> position_;
    Stack stack_;
};

}  // namespace heddle::verify
