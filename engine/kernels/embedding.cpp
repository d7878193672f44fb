// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/embedding.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/graph_task.h>

#include <optional>

namespace heddle {
namespace {

constexpr std::int64_t kNoId = -1;

/// Whether the running backward pass adds the gradient of this table to its grad() in the end. A pass for some inputs only
/// returns gradients instead, and gradients of gradients need them as results.
bool endsInGrad(const at::Tensor& table_VD) {
    const auto* const chosen = torch::autograd::get_current_graph_task_exec_info();
    return table_VD.is_leaf() && chosen && chosen->empty() && !at::GradMode::is_enabled();
}

/// Whether the kernel can add rows like dy to this gradient of the table.
bool takesRows(const at::Tensor& gradient, const at::Tensor& table_VD, const at::Tensor& dy_NW) {
    return gradient.layout() == at::kStrided && gradient.is_contiguous() && gradient.sizes() == table_VD.sizes() &&
           gradient.options().type_equal(dy_NW.options()) && !gradient.requires_grad();
}

class EmbeddedRows : public torch::autograd::Function<EmbeddedRows> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& table_VD, const at::Tensor& ids,
                              const std::optional<at::Tensor>& order_N) {
        context->save_for_backward({table_VD, ids, order_N.value_or(at::Tensor())});
        return at::embedding(table_VD, ids);
    }

    /// The head's backward pass has ended before this one begins (engine/tasks/head_pieces.h), so grad() of a table that is
    /// also the output projection is the projection's gradient here.
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &table_VD = saved[0], &order_N = saved[2], ids_N = saved[1].reshape({-1});
        const at::Tensor dy_NW = gradients[0].reshape({-1, table_VD.size(1)}).contiguous();
        torch::autograd::variable_list made(3);
        const CudaKernels* const kernels = kernelsFor({dy_NW});
        if (!kernels) {
            made[0] = at::embedding_dense_backward(dy_NW, ids_N, table_VD.size(0), kNoId, false);
            return made;
        }
        const bool isAddedAtOnce = endsInGrad(table_VD);
        at::Tensor sum_VD = isAddedAtOnce ? table_VD.grad() : at::Tensor();
        if (sum_VD.defined() && takesRows(sum_VD, table_VD, dy_NW)) {
            add(*kernels, {dy_NW, ids_N, order_N}, sum_VD);
            return made;
        }
        const bool isFirst = isAddedAtOnce && !sum_VD.defined();
        sum_VD = at::zeros(table_VD.sizes(), dy_NW.options());
        add(*kernels, {dy_NW, ids_N, order_N}, sum_VD);
        if (isFirst)
            table_VD.mutable_grad() = sum_VD;
        else
            made[0] = sum_VD;
        return made;
    }

private:
    struct Rows {
        const at::Tensor &dy_NW, &ids_N, &order_N;
    };
    static void add(const CudaKernels& kernels, const Rows& of, const at::Tensor& sum_VD) {
        const cuda::EmbeddingGradientArguments arguments{
            of.dy_NW.size(0),   of.dy_NW.size(1), sum_VD.size(0),         of.ids_N.const_data_ptr<std::int64_t>(), kNoId,
            readFrom(of.dy_NW), writeTo(sum_VD),  elementTypeOf(of.dy_NW)};
        if (of.order_N.defined())
            kernels.sortedEmbeddingGradient({arguments, of.order_N.const_data_ptr<std::int64_t>()}, of.dy_NW.get_device());
        else
            kernels.embeddingGradient(arguments, of.dy_NW.get_device());
    }
};

}  // namespace

at::Tensor embeddedRows(const at::Tensor& table_VD, const at::Tensor& ids, const at::Tensor& order_N) {
    TORCH_CHECK(!order_N.defined() || order_N.numel() == ids.numel(), "an order of ", order_N.numel(), " of ", ids.numel(),
                " ids");
    const bool isFused = table_VD.requires_grad() && ids.scalar_type() == at::kLong &&
                         (order_N.defined() || ids.numel() <= cuda::kMostEmbeddedRows) &&
                         kernelsFor(OwnKernel::CudaRows, {table_VD});
    if (!isFused) return at::embedding(table_VD, ids);
    std::optional<at::Tensor> order;
    if (order_N.defined()) order = order_N;
    return EmbeddedRows::apply(table_VD, ids, order);
}

}  // namespace heddle
