// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

/// The products of attention per head, differentiable. For float32 on processors where MKL is slow (affine.h), Heddle's
/// own kernel reads and writes heads in place; otherwise at::matmul.
namespace heddle {

/// scale · q kᵀ: q [B,H,Q,E], k [B,H,K,E]; [B,H,Q,K].
at::Tensor headScores(const at::Tensor& q_BHQE, const at::Tensor& k_BHKE, double scale);

/// w v: w [B,H,Q,K], v [B,H,K,E]; [B,H,Q,E], possibly stored as [B,Q,H,E].
at::Tensor headMix(const at::Tensor& weights_BHQK, const at::Tensor& v_BHKE);

/// p w by a matrix for each head: p [B,H,Q,K], w [H,K,L]; [B,H,Q,L].
at::Tensor headMap(const at::Tensor& p_BHQK, const at::Tensor& w_HKL);

/// softmax(scale · q kᵀ) v, hidden keys at the row kernels' kHiddenLogit: q [B,H,Q,E], k and v [B,H,K,E], hidden bool,
/// broadcast to [B,H,Q,K], or undefined; [B,H,Q,E], possibly stored as [B,Q,H,E]. The scores of a head stay in the caches and
/// are recomputed in backward. Undefined if not applicable: other types or processors, long sequences, a mask that differs
/// between heads. No double backward.
at::Tensor headAttention(const at::Tensor& q_BHQE, const at::Tensor& k_BHKE, const at::Tensor& v_BHKE, const at::Tensor& hidden,
                         double scale);

}  // namespace heddle
