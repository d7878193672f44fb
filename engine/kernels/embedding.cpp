// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/embedding.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/optional_operand.h"
#include "engine/kernels/reduced.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/graph_task.h>

#include <functional>

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

/// Ids of rows of a table [V,D], and their order if it is known.
struct LookUps {
    const at::Tensor &table_VD, &ids_N, &order_N;
};

/// Adds the gradient of the looked-up rows, dense [N,D], to that of the table.
using AddRows = std::function<void(const CudaKernels& kernels, const at::Tensor& sum_VD)>;

cuda::EmbeddingGradientArguments gradientArguments(const LookUps& of, const at::Tensor& dy_NW, const at::Tensor& sum_VD) {
    return {dy_NW.size(0), dy_NW.size(1),   sum_VD.size(0),  of.ids_N.const_data_ptr<std::int64_t>(),
            kNoId,         readFrom(dy_NW), writeTo(sum_VD), elementTypeOf(dy_NW)};
}

/// Returns the gradient of the table for autograd, or undefined if it was added to the table's grad(). The head's backward pass
/// ends before this one begins (engine/tasks/head_pieces.h). So where the table is also the output projection, grad() holds the
/// projection's gradient already.
at::Tensor gradientOfTable(const at::Tensor& table_VD, const at::Tensor& dy_NW, const AddRows& add) {
    const CudaKernels& kernels = *kernelsFor({dy_NW});
    const bool isAddedAtOnce = endsInGrad(table_VD);
    at::Tensor sum_VD = isAddedAtOnce ? table_VD.grad() : at::Tensor();
    if (sum_VD.defined() && takesRows(sum_VD, table_VD, dy_NW)) {
        add(kernels, sum_VD);
        return {};
    }
    const bool isFirst = isAddedAtOnce && !sum_VD.defined();
    sum_VD = at::zeros(table_VD.sizes(), dy_NW.options());
    add(kernels, sum_VD);
    if (!isFirst) return sum_VD;
    table_VD.mutable_grad() = sum_VD;
    return {};
}

/// The same for rows whose gradient is dy.
at::Tensor gradientOfTable(const LookUps& of, const at::Tensor& dy_NW) {
    return gradientOfTable(of.table_VD, dy_NW, [&](const CudaKernels& kernels, const at::Tensor& sum_VD) {
        const cuda::EmbeddingGradientArguments arguments = gradientArguments(of, dy_NW, sum_VD);
        if (of.order_N.defined())
            kernels.sortedEmbeddingGradient({arguments, of.order_N.const_data_ptr<std::int64_t>()}, dy_NW.get_device());
        else
            kernels.embeddingGradient(arguments, dy_NW.get_device());
    });
}

class EmbeddedRows : public torch::autograd::Function<EmbeddedRows> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& table_VD, const at::Tensor& ids,
                              const std::optional<at::Tensor>& order_N) {
        context->save_for_backward({table_VD, ids, order_N.value_or(at::Tensor())});
        return at::embedding(table_VD, ids);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &table_VD = saved[0], &order_N = saved[2], ids_N = saved[1].reshape({-1});
        const at::Tensor dy_NW = gradients[0].reshape({-1, table_VD.size(1)}).contiguous();
        torch::autograd::variable_list made(3);
        made[0] = kernelsFor({dy_NW}) ? gradientOfTable({table_VD, ids_N, order_N}, dy_NW)
                                      : at::embedding_dense_backward(dy_NW, ids_N, table_VD.size(0), kNoId, false);
        return made;
    }
};

/// A stack's input (embeddedInput()) by the CUDA kernels.
class EmbeddedInput : public torch::autograd::Function<EmbeddedInput> {
public:
    using Tensors = torch::autograd::variable_list;
    struct Settings {
        double scale = 1;
        RandomKey key;
        double p = 0;
        bool reduces = false;  ///< also compute a bfloat16 copy, for up to three products
    };

    // NOLINTNEXTLINE(readability-function-size): autograd knows only tensors that are arguments
    static Tensors forward(torch::autograd::AutogradContext* context, const at::Tensor& table_VD, const at::Tensor& ids_BS,
                           const std::optional<at::Tensor>& position_SD, const std::optional<at::Tensor>& order_N,
                           const Settings& settings) {
        const std::int64_t width = table_VD.size(1), places = ids_BS.size(1);
        const at::Tensor y_BSD = at::empty({ids_BS.size(0), places, width}, table_VD.options());
        const at::Tensor y16_BSD =
            settings.reduces ? at::empty_like(y_BSD, y_BSD.options().dtype(at::kBFloat16)) : at::Tensor();
        const at::Tensor position = position_SD.value_or(at::Tensor());
        kernelsFor({table_VD})
            ->embed({ids_BS.numel(), width, table_VD.size(0), places, ids_BS.const_data_ptr<std::int64_t>(),
                     table_VD.const_data_ptr<float>(), static_cast<const float*>(readFrom(position)),
                     static_cast<float>(settings.scale), cudaDropOf(settings.key, settings.p), y_BSD.data_ptr<float>(),
                     writeTo(y16_BSD)},
                    table_VD.get_device());
        context->save_for_backward({table_VD, ids_BS, order_N.value_or(at::Tensor())});
        context->saved_data["scale"] = settings.scale;
        context->saved_data["key"] = packedKey(settings.key);
        context->saved_data["p"] = settings.p;
        context->saved_data["positions"] = position.defined() && position.requires_grad();
        context->set_materialize_grads(false);
        if (!settings.reduces) return {y_BSD};
        return {y_BSD, y16_BSD, y16_BSD.detach(), y16_BSD.detach()};
    }

    static Tensors backward(torch::autograd::AutogradContext* context, const Tensors& gradients) {
        const Tensors saved = context->get_saved_variables();
        const at::Tensor &table_VD = saved[0], &order_N = saved[2], ids_N = saved[1].view({-1});
        const LookUps lookUps{table_VD, ids_N, order_N};
        const double scale = context->saved_data["scale"].toDouble(), p = context->saved_data["p"].toDouble();
        const RandomKey key = unpackedKey(context->saved_data["key"].toIntVector());
        const GradientsOfCopies of(gradients);
        Tensors made(5);
        if (!of.dy.defined()) return made;
        const bool hasPositions = context->saved_data["positions"].toBool(), hasTable = context->needs_input_grad(0);
        if (hasTable && !hasPositions && order_N.defined()) {
            made[0] = droppedGradient(lookUps, of, {scale, key, p});
            return made;
        }
        const at::Tensor dx_BSD = droppedSum(of, key, p);
        if (hasPositions) made[2] = dx_BSD.sum(0);
        const at::Tensor dx_ND = dx_BSD.view({-1, table_VD.size(1)});
        if (hasTable) made[0] = gradientOfTable(lookUps, scale != 1 ? dx_ND * scale : dx_ND);
        return made;
    }

private:
    /// The gradient of the table, by one kernel that also applies dropout.
    static at::Tensor droppedGradient(const LookUps& lookUps, const GradientsOfCopies& of, const Settings& settings) {
        const at::Tensor dy_ND = of.dy.view({-1, lookUps.table_VD.size(1)});
        return gradientOfTable(lookUps.table_VD, dy_ND, [&](const CudaKernels& kernels, const at::Tensor& sum_VD) {
            cuda::SortedEmbeddingGradientArguments in{gradientArguments(lookUps, dy_ND, sum_VD),
                                                      lookUps.order_N.const_data_ptr<std::int64_t>(),
                                                      static_cast<float>(settings.scale), cudaDropOf(settings.key, settings.p)};
            for (std::size_t i = 0; i < of.ofCopies.size(); ++i) in.added[i] = readFrom(of.ofCopies[i]);
            kernels.sortedEmbeddingGradient(in, dy_ND.get_device());
        });
    }
};

bool hasGradientKernel(const at::Tensor& ids, const at::Tensor& order_N) {
    return ids.scalar_type() == at::kLong && (order_N.defined() || ids.numel() <= cuda::kMostEmbeddedRows);
}

void checkOrder(const at::Tensor& ids, const at::Tensor& order_N) {
    TORCH_CHECK(!order_N.defined() || order_N.numel() == ids.numel(), "an order of ", order_N.numel(), " of ", ids.numel(),
                " ids");
}

}  // namespace

at::Tensor embeddedRows(const at::Tensor& table_VD, const at::Tensor& ids, const at::Tensor& order_N) {
    checkOrder(ids, order_N);
    const bool isFused =
        table_VD.requires_grad() && hasGradientKernel(ids, order_N) && kernelsFor(OwnKernel::CudaRows, {table_VD});
    return isFused ? EmbeddedRows::apply(table_VD, ids, ifThere(order_N)) : at::embedding(table_VD, ids);
}

bool embedsInOnePass(const at::Tensor& table_VD, const at::Tensor& ids_BS, const at::Tensor& order_N) {
    return table_VD.scalar_type() == at::kFloat && table_VD.size(1) % 4 == 0 && ids_BS.dim() == 2 && ids_BS.is_contiguous() &&
           ids_BS.numel() > 0 && hasGradientKernel(ids_BS, order_N) && kernelsFor(OwnKernel::CudaEmbed, {table_VD}) &&
           kernelsFor(OwnKernel::CudaRows, {table_VD});
}

at::Tensor embeddedInput(const EmbeddingParts& of) {
    checkOrder(of.ids_BS, of.order_N);
    const bool reduces = reducedScopeIsOpen();
    const at::Tensor position_SD = of.position_SD.defined() ? of.position_SD.contiguous() : at::Tensor();
    const torch::autograd::variable_list made =
        EmbeddedInput::apply(of.table_VD, of.ids_BS, ifThere(position_SD), ifThere(of.order_N),
                             EmbeddedInput::Settings{of.scale, of.key, of.p, reduces});
    if (reduces) offerReduced(made[0], {made[1], made[2], made[3]});
    return made[0];
}

}  // namespace heddle
