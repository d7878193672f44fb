// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle {

/// bfloat16 copies of float32 parameters that matrix products read, which outlive a step: whoever updates a parameter writes
/// its copy beside it, or has it copied again. A copy that its parameter has left behind is never read.
class ReducedParameters {
public:
    /// Copies of all that are float32; parameters that share memory have copies that lie alike in memory of their own.
    explicit ReducedParameters(std::vector<at::Tensor> parameters);

    /// The copy of this parameter; undefined where there is none, or where the parameter was written since (through the tensor
    /// or one that shares its version, not through a pointer).
    at::Tensor of(const at::Tensor& parameter) const;
    /// Copies what was written or moved since: the copies keep their addresses unless their parameters moved.
    void refresh();
    /// Copies everything again, whether or not it was written.
    void rewrite();

private:
    struct Copy {
        at::Tensor parameter, reduced;
        const void* address = nullptr;  ///< of the parameter when its copy was made
        std::int64_t version = 0;
    };
    bool isCurrent(const Copy& copy) const;
    void makeRoom();

    std::vector<Copy> copies_;  // in the order of the parameters' identities
};

/// While it lives, linear maps of this thread (engine/kernels/affine.h) multiply bfloat16 copies of what they are given, each
/// of which is made once, and give bfloat16; gradients of float32 operands come out as float32. For the forward pass of a
/// training step, beside autocast, which leaves nothing to cast for these maps.
class ReducedScope {
public:
    /// With copies of parameters that are there already; null: opens nothing.
    explicit ReducedScope(const ReducedParameters* parameters);
    ~ReducedScope();
    ReducedScope(const ReducedScope&) = delete;
    ReducedScope& operator=(const ReducedScope&) = delete;

    struct State;

private:
    State* before_;
    std::unique_ptr<State> own_;
};

bool reducedScopeIsOpen();

/// The bfloat16 copy of x for products of the open scope: x itself where it is one, the copy that was offered, else a cast that
/// later callers get, too. Differentiable where x is.
at::Tensor reduced(const at::Tensor& x);

/// The bfloat16 copy of parameters or other factors, the first axes behind each other, without a gradient: the copies that they
/// keep, else a cast. Only while a scope is open.
at::Tensor reducedFactor(at::TensorList parts);

/// x16 is, in value and gradient, x in bfloat16. Only while a scope is open.
void offerReduced(const at::Tensor& x, const at::Tensor& x16);

/// The tensors as one, the first axes behind each other, where they lie so in memory: the same memory, without a gradient. Else
/// undefined.
at::Tensor joined(at::TensorList parts);

}  // namespace heddle
