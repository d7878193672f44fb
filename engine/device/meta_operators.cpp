// SPDX-License-Identifier: Apache-2.0
// Meta kernels of ATen operators that LibTorch 2.11 has in Python alone: sizes, types and memory of the results as the CPU's
// kernels allocate them, no arithmetic. Signatures as in ATen/native/native_functions.yaml.
#include "engine/device/torch_pch.h"

#include <ATen/ExpandUtils.h>
#include <torch/library.h>

#include <array>
#include <optional>
#include <tuple>

namespace heddle {
namespace {

using Two = std::tuple<at::Tensor, at::Tensor>;
using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

at::Tensor indexSelect(const at::Tensor& x, std::int64_t axis, const at::Tensor& index) {
    std::vector<std::int64_t> sizes = x.sizes().vec();
    if (!sizes.empty()) sizes[static_cast<std::size_t>(c10::maybe_wrap_dim(axis, x.dim()))] = index.numel();
    return at::empty(sizes, x.options());
}

/// Gives `out` these sizes; resize_ would not tell the allocator.
at::Tensor& reallocated(at::Tensor& out, at::IntArrayRef sizes) {
    if (out.sizes() != sizes) out.set_(at::empty(sizes, out.options()));
    return out;
}

at::Tensor& unaryOut(const at::Tensor& x, at::Tensor& out) { return reallocated(out, x.sizes()); }

at::Tensor& binaryOut(const at::Tensor& x, const at::Tensor& y, at::Tensor& out) {
    return reallocated(out, at::infer_size(x.sizes(), y.sizes()));
}

at::Tensor emptyLike(const at::Tensor& x) { return at::empty_like(x); }

at::Tensor marks(const at::Tensor& x) { return at::empty_like(x, x.options().dtype(at::kBool)); }

at::Tensor largest(const at::Tensor& x) { return at::empty({}, x.options()); }

/// The CPU's Taylor polynomial holds some matrices at a time besides its result.
at::Tensor matrixExp(const at::Tensor& x) {
    constexpr std::int64_t kMatrices = 8;
    const at::Tensor temporaries = at::empty({kMatrices, x.numel()}, x.options());
    return at::empty_like(x);
}

at::Tensor searchSorted(const at::Tensor& /*sorted*/, const at::Tensor& x, bool isInt32, bool /*right*/,
                        std::optional<std::string_view> /*side*/, const std::optional<at::Tensor>& /*sorter*/) {
    return at::empty(x.sizes(), x.options().dtype(isInt32 ? at::kInt : at::kLong));
}

at::Tensor where(const at::Tensor& condition, const at::Tensor& x, const at::Tensor& y) {
    const auto sizes = at::infer_size(condition.sizes(), at::infer_size(x.sizes(), y.sizes()));
    return at::empty(sizes, at::TensorOptions(at::result_type(x, y)).device(at::kMeta));
}

at::Tensor flip(const at::Tensor& x, at::IntArrayRef /*axes*/) { return at::empty_like(x, at::MemoryFormat::Contiguous); }

at::Tensor varCorrection(const at::Tensor& x, at::OptionalIntArrayRef axes, const std::optional<at::Scalar>& /*correction*/,
                         bool keepsAxes) {
    return at::empty_like(at::sum(x, axes, keepsAxes));
}

Three nativeLayerNorm(const at::Tensor& x, at::IntArrayRef shape, const std::optional<at::Tensor>& /*weight*/,
                      const std::optional<at::Tensor>& /*bias*/, double /*eps*/) {
    std::vector<std::int64_t> rows = x.sizes().vec();
    for (std::size_t i = 0; i < shape.size(); ++i) rows[rows.size() - 1 - i] = 1;
    return {at::empty_like(x, at::MemoryFormat::Contiguous), at::empty(rows, x.options()), at::empty(rows, x.options())};
}

// NOLINTNEXTLINE(readability-function-size): the operator's signature
Three nativeLayerNormBackward(const at::Tensor& /*dy*/, const at::Tensor& x, at::IntArrayRef /*shape*/,
                              const at::Tensor& /*mean*/, const at::Tensor& /*inverse*/,
                              const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias,
                              std::array<bool, 3> wanted) {
    const auto gradientOf = [](const std::optional<at::Tensor>& p) {
        return p && p->defined() ? at::empty_like(*p) : at::Tensor();
    };
    return {wanted[0] ? at::empty_like(x, at::MemoryFormat::Contiguous) : at::Tensor(),
            wanted[1] ? gradientOf(weight) : at::Tensor(), wanted[2] ? gradientOf(bias) : at::Tensor()};
}

at::Tensor embeddingDenseBackward(const at::Tensor& dy, const at::Tensor& /*ids*/, std::int64_t rows,
                                  std::int64_t /*paddingId*/, bool /*scalesByFrequency*/) {
    return at::empty({rows, dy.size(-1)}, dy.options());
}

// NOLINTNEXTLINE(readability-function-size): the operator's signature
at::Tensor convolution(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& /*bias*/,
                       at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef /*outputPadding*/, std::int64_t /*groups*/) {
    TORCH_CHECK_NOT_IMPLEMENTED(!transposed, "transposed convolutions have no sizes on the meta device");
    std::vector<std::int64_t> sizes{x.size(0), weight.size(0)};
    for (std::int64_t axis = 2; axis < x.dim(); ++axis) {
        const auto i = static_cast<std::size_t>(axis - 2);
        sizes.push_back((x.size(axis) + 2 * padding[i] - dilation[i] * (weight.size(axis) - 1) - 1) / stride[i] + 1);
    }
    return at::empty(sizes, x.options());
}

// NOLINTNEXTLINE(readability-function-size): the operator's signature
Three convolutionBackward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight, at::IntArrayRef /*stride*/,
                          at::IntArrayRef /*padding*/, at::IntArrayRef /*dilation*/, bool /*transposed*/,
                          at::IntArrayRef /*outputPadding*/, std::int64_t /*groups*/, std::array<bool, 3> wanted) {
    return {wanted[0] ? at::empty_like(x) : at::Tensor(), wanted[1] ? at::empty_like(weight) : at::Tensor(),
            wanted[2] ? at::empty({weight.size(0)}, dy.options()) : at::Tensor()};
}

/// Returns an empty tensor of the sizes [B,H,S,E], stored as [B,S,H,E].
at::Tensor rowByRow(const at::Tensor& like_BHSE) {
    return at::empty(like_BHSE.transpose(1, 2).sizes(), like_BHSE.options()).transpose(1, 2);
}

// NOLINTNEXTLINE(readability-function-size): the operator's signature
Two flashAttention(const at::Tensor& q, const at::Tensor& /*k*/, const at::Tensor& /*v*/, double /*dropout*/, bool /*isCausal*/,
                   const std::optional<at::Tensor>& /*mask*/, std::optional<double> /*scale*/) {
    const at::Tensor logSums = at::empty({q.size(0), q.size(2), q.size(1)}, q.options()).transpose(1, 2);
    return {at::empty_like(q), logSums};  // v is as wide as q
}

// NOLINTNEXTLINE(readability-function-size): the operator's signature
Three flashAttentionBackward(const at::Tensor& /*dy*/, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                             const at::Tensor& /*y*/, const at::Tensor& /*logSums*/, double /*dropout*/, bool /*isCausal*/,
                             const std::optional<at::Tensor>& /*mask*/, std::optional<double> /*scale*/) {
    return {rowByRow(q), rowByRow(k), rowByRow(v)};
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, Meta, m) {
    m.impl("index_select", indexSelect);
    m.impl("abs.out", unaryOut);
    m.impl("logical_not.out", unaryOut);
    m.impl("logical_and.out", binaryOut);
    m.impl("logical_or.out", binaryOut);
    m.impl("linalg_matrix_exp", matrixExp);
    m.impl("isnan", marks);
    m.impl("max", largest);
    m.impl("searchsorted.Tensor", searchSorted);
    m.impl("relu", emptyLike);
    m.impl("where.self", where);
    m.impl("flip", flip);
    m.impl("var.correction", varCorrection);
    m.impl("native_layer_norm", nativeLayerNorm);
    m.impl("native_layer_norm_backward", nativeLayerNormBackward);
    m.impl("embedding_dense_backward", embeddingDenseBackward);
    m.impl("convolution_overrideable", convolution);
    m.impl("convolution_backward_overrideable", convolutionBackward);
    m.impl("_scaled_dot_product_flash_attention_for_cpu", flashAttention);
    m.impl("_scaled_dot_product_flash_attention_for_cpu_backward", flashAttentionBackward);
}

}  // namespace heddle
