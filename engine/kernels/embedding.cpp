// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/embedding.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"

#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

constexpr std::int64_t kNoId = -1;

class EmbeddedRows : public torch::autograd::Function<EmbeddedRows> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& table_VD, const at::Tensor& ids) {
        context->save_for_backward({ids});
        context->saved_data["words"] = table_VD.size(0);
        return at::embedding(table_VD, ids);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const at::Tensor ids_N = context->get_saved_variables()[0].reshape({-1});
        const std::int64_t words = context->saved_data["words"].toInt(), width = gradients[0].size(-1);
        const at::Tensor dy_NW = gradients[0].reshape({-1, width}).contiguous();
        const CudaKernels* const kernels = kernelsFor({dy_NW});
        if (!kernels) return {at::embedding_dense_backward(dy_NW, ids_N, words, kNoId, false), at::Tensor()};
        const at::Tensor table_VD = at::zeros({words, width}, dy_NW.options());
        kernels->embeddingGradient({dy_NW.size(0), width, words, ids_N.const_data_ptr<std::int64_t>(), kNoId, readFrom(dy_NW),
                                    writeTo(table_VD), elementTypeOf(dy_NW)},
                                   dy_NW.get_device());
        return {table_VD, at::Tensor()};
    }
};

}  // namespace

at::Tensor embeddedRows(const at::Tensor& table_VD, const at::Tensor& ids) {
    const bool isFused = table_VD.requires_grad() && ids.scalar_type() == at::kLong && ids.numel() <= cuda::kMostEmbeddedRows &&
                         kernelsFor(OwnKernel::CudaRows, {table_VD});
    return isFused ? EmbeddedRows::apply(table_VD, ids) : at::embedding(table_VD, ids);
}

}  // namespace heddle
