// SPDX-License-Identifier: Apache-2.0
#include "engine/parallel/gradient_buckets.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

constexpr std::int64_t kBucketBytes = 25 << 20;
/// Each part of a bucket begins at a multiple of so many floats, so that kernels read it as fast as a separate tensor.
constexpr std::int64_t kAlignment = 64 / sizeof(float);
constexpr std::int64_t kScalars = 3;  ///< that sum() takes

std::int64_t aligned(std::int64_t count) { return (count + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

GradientBuckets::GradientBuckets(Group& group, std::vector<at::Tensor> parameters) : group_(group) {
    std::reverse(parameters.begin(), parameters.end());
    std::vector<at::Tensor> next;
    std::int64_t bytes = 0;
    for (at::Tensor& parameter : parameters) {
        const auto more = static_cast<std::int64_t>(parameter.nbytes());
        if (!next.empty() && bytes + more > kBucketBytes) {
            addBucket(std::exchange(next, {}), 0);
            bytes = 0;
        }
        bytes += more;
        next.push_back(std::move(parameter));
    }
    addBucket(std::move(next), kScalars);
}

void GradientBuckets::addBucket(std::vector<at::Tensor> parameters, std::int64_t scalars) {
    std::int64_t size = aligned(scalars);
    for (const at::Tensor& parameter : parameters) size += aligned(parameter.numel());
    Bucket& bucket = buckets_.emplace_back();
    bucket.values = at::zeros({size}, parameters.front().options().requires_grad(false));
    std::int64_t first = 0;
    for (at::Tensor& parameter : parameters) {
        const at::Tensor flat = bucket.values.narrow(0, first, parameter.numel());
        // Autograd gives a gradient the strides of its parameter if that is dense, else those of a contiguous tensor.
        const at::Tensor part = parameter.is_non_overlapping_and_dense()
                                    ? flat.as_strided(parameter.sizes(), parameter.strides())
                                    : flat.view(parameter.sizes());
        first += aligned(parameter.numel());
        bucket.parts.push_back({std::move(parameter), part});
    }
    if (scalars > 0) scalars_ = bucket.values.narrow(0, first, scalars);
}

void GradientBuckets::sum(const at::Tensor& scalars_3, bool hasWorked) {
    const at::NoGradGuard noGrad;
    if (!isAgreed_) agree(hasWorked);
    scalars_.copy_(scalars_3);
    for (Bucket& bucket : buckets_) {
        gather(bucket, hasWorked);
        group_.sum(bucket.values);
    }
}

void GradientBuckets::setGradients() const {
    for (const Bucket& bucket : buckets_)
        for (const Part& part : bucket.parts)
            if (part.isTrained) part.parameter.mutable_grad() = part.sum;
}

/// Finds out with the other processes which parameters have gradients: one without a micro-batch cannot know it by itself.
void GradientBuckets::agree(bool hasWorked) {
    std::vector<std::int64_t> trained;
    for (const Bucket& bucket : buckets_)
        for (const Part& part : bucket.parts) trained.push_back(hasWorked && part.parameter.grad().defined());
    const at::Tensor sums = at::tensor(trained, at::kLong);
    group_.sum(sums);
    const auto* count = sums.const_data_ptr<std::int64_t>();
    for (Bucket& bucket : buckets_)
        for (Part& part : bucket.parts) part.isTrained = *count++ > 0;
    isAgreed_ = true;
}

void GradientBuckets::gather(Bucket& bucket, bool hasWorked) {
    for (const Part& part : bucket.parts) {
        const at::Tensor& gradient = part.parameter.grad();
        if (hasWorked && gradient.defined() != part.isTrained)
            throw Error(ErrorCode::Failure, "a parameter has a gradient in some micro-batches only",
                        "train with several processes", "train this variant in one process; please report it");
        if (gradient.defined())
            part.sum.copy_(gradient);
        else
            part.sum.zero_();
    }
}

}  // namespace heddle
