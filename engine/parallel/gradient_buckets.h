// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/parallel/group.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace heddle {

/// Sums the gradients of a step over the processes, in flat buckets of about 25 MB (Li et al. 2020, section 3.2.3) in the order
/// in which a backward pass reaches them: the last parameters first. A gradient has the same value, bit for bit, on every
/// process. One thread.
class GradientBuckets {
public:
    /// Keeps references to the parameters, which are float32 and on one device. `group` must outlive this and is not alone.
    GradientBuckets(Group& group, std::vector<at::Tensor> parameters);

    /// Sums all gradients, and `scalars_3` (float32) with the last bucket. A process that had no micro-batch (`hasWorked`
    /// false) contributes 0. Throws Error(Failure) if a parameter has a gradient in some micro-batches and none in others.
    void sum(const at::Tensor& scalars_3, bool hasWorked);
    /// Makes the sums the parameters' gradients. They stay parts of the buckets, and their addresses never change.
    void setGradients() const;
    const at::Tensor& scalars_3() const { return scalars_; }  ///< the sums of scalars, part of the last bucket

    /// Call this when the next step may train other parameters than the last one: on all processes, between the same two steps.
    void forgetTrained() { isAgreed_ = false; }

    std::int64_t count() const { return std::ssize(buckets_); }  ///< number of buckets, each of which is summed once a step

private:
    struct Part {
        at::Tensor parameter, sum;  ///< `sum`: the parameter's part of the bucket, with the strides of its gradient
        bool isTrained = true;
    };
    struct Bucket {
        at::Tensor values;  // [N], float32
        std::vector<Part> parts;
    };
    void addBucket(std::vector<at::Tensor> parameters, std::int64_t scalars);
    void agree(bool hasWorked);
    void gather(Bucket& bucket, bool hasWorked);

    Group& group_;
    std::vector<Bucket> buckets_;
    at::Tensor scalars_;  // part of the last bucket
    bool isAgreed_ = false;
};

}  // namespace heddle
