// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/builder.h"
#include "engine/model/recording_taps.h"
#include "engine/model/verify/checks.h"

#include <memory>
#include <string>

namespace heddle::verify {

/// An encoder without embeddings and head, as a model has it: a variant through spec, resolution and builder, in one precision.
class EncoderUnderTest {
public:
    /// The parameters hold what `init` says; the caller loads or fills them.
    EncoderUnderTest(const Json& document, at::ScalarType type);

    /// The whole stack on its input x.
    at::Tensor run(const at::Tensor& x_BSD, Taps* taps = nullptr) const;
    /// The layers on h, with x as the stack's input. padding_BS: bool or undefined.
    at::Tensor runFrom(const at::Tensor& h_BSD, const at::Tensor& x_BSD, const at::Tensor& padding_BS,
                       Taps* taps = nullptr) const;

    const ParameterStore& store() const { return store_; }
    std::string path(std::int64_t layer, const std::string& sublayer) const;
    std::int64_t formulaCount() const;  ///< of the stack, by the descriptors

private:
    ResolvedVariant variant_;
    ParameterStore store_;
    std::unique_ptr<Position> position_;
    Stack stack_;
};

}  // namespace heddle::verify
