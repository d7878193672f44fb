// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/late_sums.h"

#include "engine/device/step_phase.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"

#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace heddle {
namespace {

namespace autograd = torch::autograd;

/// Autograd hands this to the threads that run a backward pass. Nothing in LibTorch uses this kind.
constexpr c10::DebugInfoKind kLateSums = c10::DebugInfoKind::PRODUCER_INFO;

/// The columns of a sum that are the gradient of a parameter.
struct LateGradient {
    at::Tensor parameter;
    std::int64_t first = 0;
};

struct LateEntry {
    at::Tensor partial_KC;
    std::vector<LateGradient> gradients;
};

/// The parameter at the end of this edge; undefined: it is something else, or its gradient is for others, too.
at::Tensor parameterAt(const autograd::Edge& edge) {
    auto* const leaf = dynamic_cast<autograd::AccumulateGrad*>(edge.function.get());
    if (!leaf) return {};
    const bool isHooked = !leaf->pre_hooks().empty() || !leaf->post_hooks().empty() || !leaf->tensor_pre_hooks().empty() ||
                          leaf->tensor_post_acc_grad_hooks();
    return isHooked ? at::Tensor() : leaf->variable;
}

/// Null where a gradient cannot be set later.
std::optional<LateEntry> entryOf(const PartialSums& sums, const autograd::Node& node) {
    LateEntry entry{sums.partial_KC, {}};
    std::int64_t first = 0;
    for (const auto& [input, columns] : sums.inputs) {
        const std::int64_t own = std::exchange(first, first + columns);
        const autograd::Edge& edge = node.next_edge(input);
        if (!edge.is_valid()) continue;  // it needs no gradient
        const at::Tensor parameter = parameterAt(edge);
        if (!parameter.defined() || parameter.scalar_type() != at::kFloat || !parameter.is_contiguous() ||
            parameter.numel() != columns || parameter.device() != sums.partial_KC.device())
            return {};
        entry.gradients.push_back({parameter, own});
    }
    return entry;
}

/// The sums [C] of all entries, one after the other.
at::Tensor sumsOf(const std::vector<LateEntry>& entries) {
    std::int64_t columns = 0;
    for (const LateEntry& one : entries) columns += one.partial_KC.size(1);
    const at::Tensor& like = entries.front().partial_KC;
    const at::Tensor all = at::empty({columns}, like.options());
    const CudaKernels* const kernels = kernelsFor(OwnKernel::CudaSums, {like});
    cuda::PackedSumsArguments packed{};
    const auto launch = [&] {
        if (packed.count > 0) kernels->packedSums(packed, like.get_device());
        packed.count = packed.items = 0;
    };
    std::int64_t first = 0;
    for (const LateEntry& one : entries) {
        const std::int64_t own = one.partial_KC.size(1);
        at::Tensor to = all.narrow(0, std::exchange(first, first + own), own);
        if (!kernels) {
            at::sum_out(to, one.partial_KC, 0);
            continue;
        }
        cuda::PackedSum& sum = packed.of[packed.count++];
        sum = {one.partial_KC.const_data_ptr<float>(), to.mutable_data_ptr<float>(),
               static_cast<std::int32_t>(one.partial_KC.size(0)), static_cast<std::int32_t>(own), packed.items};
        packed.items += itemsOf(sum);
        if (packed.count == cuda::PackedSumsArguments::kMost) launch();
    }
    launch();
    return all;
}

}  // namespace

bool isPlainBackward() {
    const auto* const asked = autograd::get_current_graph_task_exec_info();
    return !at::GradMode::is_enabled() && asked && asked->empty();
}

class LateSums::List final : public c10::DebugInfoBase {
public:
    void add(std::vector<LateEntry> entries) {
        const std::lock_guard lock(mutex_);
        for (LateEntry& one : entries) entries_.push_back(std::move(one));
    }
    void finish() {
        std::vector<LateEntry> entries;
        {
            const std::lock_guard lock(mutex_);
            entries.swap(entries_);
        }
        if (entries.empty()) return;
        const at::NoGradGuard noGrad;
        const StepPhaseScope phase(StepPhase::Backward);
        const at::Tensor sums = sumsOf(entries);
        std::int64_t first = 0;
        for (const LateEntry& one : entries) {
            for (const auto& [parameter, own] : one.gradients) {
                const at::Tensor gradient = sums.narrow(0, first + own, parameter.numel()).view(parameter.sizes());
                if (parameter.grad().defined())
                    parameter.mutable_grad().add_(gradient);
                else
                    parameter.mutable_grad() = gradient;
            }
            first += one.partial_KC.size(1);
        }
    }

private:
    std::mutex mutex_;
    std::vector<LateEntry> entries_;  // guarded by mutex_, which backward passes of several threads need
};

struct LateSums::Guard {
    c10::DebugInfoGuard inner;
};

LateSums::LateSums() : list_(std::make_shared<List>()), guard_(new Guard{{kLateSums, list_}}) {}

LateSums::~LateSums() = default;

void LateSums::finish() { list_->finish(); }

bool areSummedLater(const std::vector<PartialSums>& all) {
    auto* const list = static_cast<LateSums::List*>(c10::ThreadLocalDebugInfo::get(kLateSums));
    const std::shared_ptr<autograd::Node> node = autograd::get_current_node();
    if (!list || !node || !isPlainBackward()) return false;
    std::vector<LateEntry> entries;
    for (const PartialSums& one : all) {
        std::optional<LateEntry> entry = entryOf(one, *node);
        if (!entry) return false;
        entries.push_back(std::move(*entry));
    }
    list->add(std::move(entries));
    return true;
}

}  // namespace heddle
