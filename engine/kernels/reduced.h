// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle {

/// The number of outputs of a bfloat16 product, padded so that rows are aligned.
constexpr std::int64_t paddedOutputs(std::int64_t outputs) { return (outputs + 63) / 64 * 64; }

/// Persistent bfloat16 copies of float32 parameters for matrix products. An update writes the copy, too, or calls refresh().
/// Outdated copies are never read.
class ReducedParameters {
public:
    /// Copies all float32 parameters; contiguous parameters get contiguous copies. A copy whose parameter lies alone in memory
    /// has zero rows behind it, up to paddedOutputs().
    explicit ReducedParameters(std::vector<at::Tensor> parameters);

    /// The copy of this parameter; undefined: none, or the parameter was written since (through a tensor that shares its
    /// version counter; writes through pointers are not detected).
    at::Tensor of(const at::Tensor& parameter) const;
    /// Copies parameters that were written or moved since. Copies keep their addresses unless their parameters moved.
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

/// During its lifetime, linear products of this thread (engine/kernels/affine.h) use bfloat16 copies of their operands, cast
/// once each, and return bfloat16; gradients of float32 operands are float32. For the forward pass of a training step, in
/// addition to autocast.
class ReducedScope {
public:
    /// With existing copies of parameters; null: opens no scope.
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

/// The bfloat16 copy of x for products of the open scope: x itself if bfloat16, else the offered copy, else a cast that is
/// cached for later calls. Differentiable if x is; where several calls have the same x, their gradients are added in x's type.
/// One result is for one product: gradients of the uses of one result are added in bfloat16.
at::Tensor reduced(const at::Tensor& x);

/// In an open scope the bfloat16 copy of a float32 x, so that autocast does not make another one; otherwise x itself.
at::Tensor asFactor(const at::Tensor& x);

/// The bfloat16 copies of parameters or other factors, concatenated along the first axis, without gradient: persistent copies,
/// else a cast. Only while a scope is open.
at::Tensor reducedFactor(at::TensorList parts);

/// The persistent copy of a parameter, without gradient, with the zero rows behind it, `rows` in all; undefined: there is no
/// such copy. Only while a scope is open.
at::Tensor paddedFactor(const at::Tensor& parameter, std::int64_t rows);

/// Registers bfloat16 copies of x, in value and gradient: one for each of the next products of x, whose gradients then meet
/// where the copies were made. Only while a scope is open.
void offerReduced(const at::Tensor& x, std::vector<at::Tensor> copies);

/// Whether a copy of x was offered in the open scope and no product has taken it.
bool hasOfferedCopy(const at::Tensor& x);

/// The tensors as one along the first axis if they are contiguous in memory: shares memory, without gradient. Else undefined.
at::Tensor joined(at::TensorList parts);

/// The tensors as one along the first axis: joined() if that is possible, except for double backward; else a copy.
at::Tensor concatenated(at::TensorList parts);

}  // namespace heddle
