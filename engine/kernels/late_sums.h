// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle {

/// An input, by its number among the tensors that an autograd function was applied to, whose gradient has `columns` elements.
struct SummedInput {
    std::size_t input = 0;
    std::int64_t columns = 0;
};

/// Partial sums whose sum over K is the gradients of the inputs, one after the other; columns behind the last input's are of
/// none.
struct PartialSums {
    at::Tensor partial_KC;  ///< float32, contiguous; C a multiple of 4
    std::vector<SummedInput> inputs;
};

/// Collects the partial sums of gradients of parameters during the backward passes that this thread calls, whichever threads
/// autograd runs them on, and adds them up together: one launch for up to 120 of them instead of one or two each. Autograd gets
/// no gradient of such a parameter; finish() sets `grad`, or adds to it, once for each use of the parameter and in the order of
/// the backward pass. So several uses of a parameter and several backward passes are possible, and until finish() the
/// gradients lack these parts. One scope of a thread at a time counts, the innermost.
class LateSums {
public:
    LateSums();
    /// Drops what finish() has not added up: a backward pass failed.
    ~LateSums();
    LateSums(const LateSums&) = delete;
    LateSums& operator=(const LateSums&) = delete;

    /// Adds up what was collected until now. Not during a backward pass.
    void finish();

    class List;

private:
    struct Guard;
    std::shared_ptr<List> list_;
    std::unique_ptr<Guard> guard_;
};

/// For the backward function of an autograd function: leaves these sums to the open LateSums. Returns false, and does nothing,
/// where there is none or where somebody else could ask for a gradient: a result of another function, a hook on a parameter,
/// torch::autograd::grad(), gradients of gradients. Where it returns true, the gradients for autograd stay undefined.
bool areSummedLater(const std::vector<PartialSums>& all);

/// Whether the backward pass of this thread is one that sets the gradients of all leaves and is not differentiated itself.
bool isPlainBackward();

}  // namespace heddle
