// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cpu/onednn.h"

#include "engine/device/torch_pch.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/inductor/aoti_torch/utils.h>
#include <torch/headeronly/util/shim_utils.h>

namespace heddle::onednn {
namespace {

template <typename Signature>
std::optional<c10::TypedOperatorHandle<Signature>> find(const char* name) {
    const auto schema = c10::Dispatcher::singleton().findSchema({name, ""});
    if (!schema) return std::nullopt;
    return schema->template typed<Signature>();
}

/// A linear operator that computes in full float32.
using Linear = at::Tensor(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                          std::string_view activation, c10::List<std::optional<at::Scalar>> scalars,
                          std::optional<std::string_view> algorithm);
const std::optional<c10::TypedOperatorHandle<Linear>>& linear() {
    static const auto found = find<Linear>("mkldnn::_linear_pointwise");
    return found;
}

/// The serialised layout of a oneDNN tensor.
using Layout = at::Tensor(const at::Tensor& x);
const std::optional<c10::TypedOperatorHandle<Layout>>& layout() {
    static const auto found = find<Layout>("mkldnn::_get_mkldnn_serialized_md");
    return found;
}

/// Wraps a contiguous x [M,N] as a oneDNN tensor without the copy of at::to_mkldnn; x must outlive it.
at::Tensor inPlace(const at::Tensor& x_MN) {
    const at::Tensor bytes = layout()->call(at::empty(x_MN.sizes(), x_MN.options().layout(at::kMkldnn)));
    AtenTensorHandle made = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_create_tensor_from_blob_v2(
        x_MN.data_ptr(), x_MN.dim(), x_MN.sizes().data(), x_MN.strides().data(), 0, aoti_torch_dtype_float32(),
        aoti_torch_device_type_cpu(), 0, &made, aoti_torch_layout__mkldnn(), bytes.const_data_ptr<std::uint8_t>(),
        bytes.numel()));
    at::Tensor tensor = *torch::aot_inductor::tensor_handle_to_tensor_pointer(made);
    TORCH_ERROR_CODE_CHECK(aoti_torch_delete_tensor_object(made));
    return tensor;
}

}  // namespace

bool isThere() { return linear().has_value() && layout().has_value(); }

at::Tensor timesTransposed(const at::Tensor& a_MK, const at::Tensor& b_NK, const std::optional<at::Tensor>& bias_N) {
    if (a_MK.is_meta()) return at::linear(a_MK, b_NK, bias_N);
    return linear()->call(a_MK, b_NK, bias_N, "none", c10::List<std::optional<at::Scalar>>(), std::nullopt);
}

std::pair<at::Tensor, at::Tensor> parameterGradients(const at::Tensor& dy_NO, const at::Tensor& x_NI, bool withBias) {
    const at::Tensor dy = dy_NO.contiguous(), x = x_NI.contiguous();
    if (dy.is_meta())
        return {at::empty({dy.size(1), x.size(1)}, x.options()),
                withBias ? at::empty({dy.size(1)}, x.options()) : at::Tensor()};
    const at::Tensor asWeight = at::empty({0}, x.options());  // gives the gradients its type
    auto [dw_OI, db_O] = at::mkldnn_linear_backward_weights(inPlace(dy), inPlace(x), asWeight, withBias);
    return {dw_OI, withBias ? db_O : at::Tensor()};
}

}  // namespace heddle::onednn
