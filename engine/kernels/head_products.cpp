// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/head_products.h"

#include "engine/device/meta_device.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/cpu/score_rows.h"
#include "engine/kernels/cpu/small_products.h"
#include "engine/kernels/optional_operand.h"
#include "engine/kernels/own_kernels.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

using HeadContext = torch::autograd::AutogradContext;
using HeadTensors = torch::autograd::variable_list;

/// Offset of a head of x [B,H,M,N], or of x [H,M,N] shared by all sentences.
std::int64_t offsetOf(const at::Tensor& x, std::int64_t sentence, std::int64_t head) {
    return (x.dim() == 4 ? sentence * x.stride(0) : 0) + head * x.stride(-3);
}

/// An operand, transposed or not.
struct HeadOperand {
    at::Tensor x;
    bool isTransposed = false;

    HeadOperand transposed() const { return {x, !isTransposed}; }
    std::int64_t rows() const { return x.size(isTransposed ? -1 : -2); }
    std::int64_t columns() const { return x.size(isTransposed ? -2 : -1); }
    rows::Matrix of(std::int64_t sentence, std::int64_t head) const {
        const float* const at = x.const_data_ptr<float>() + offsetOf(x, sentence, head);
        return isTransposed ? rows::Matrix{at, x.stride(-1), x.stride(-2)} : rows::Matrix{at, x.stride(-2), x.stride(-1)};
    }
};

/// A head of a result, whose rows are dense.
rows::ProductTarget targetIn(const at::Tensor& x, std::int64_t sentence, std::int64_t head, double scale = 1) {
    return {x.data_ptr<float>() + offsetOf(x, sentence, head), x.stride(-2), static_cast<float>(scale)};
}

/// Calls work(sentence, head) for all heads in parallel; `multiplications`: per head.
template <typename Work>
void forEachHead(std::int64_t sentences, std::int64_t heads, std::int64_t multiplications, const Work& work) {
    constexpr std::int64_t kMultiplicationsAtOnce = 1 << 18;  // for less work, starting a thread costs more than it saves
    const std::int64_t atOnce = std::max<std::int64_t>(1, kMultiplicationsAtOnce / multiplications);
    at::parallel_for(0, sentences * heads, atOnce, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) work(i / heads, i % heads);
    });
}

/// c = scale · a b for every sentence and head.
void multiply(const HeadOperand& a, const HeadOperand& b, double scale, const at::Tensor& c_BHMN) {
    if (c_BHMN.is_meta()) return;
    const std::int64_t m = a.rows(), n = b.columns(), k = a.columns();
    forEachHead(c_BHMN.size(0), c_BHMN.size(1), m * n * k, [&](std::int64_t sentence, std::int64_t head) {
        rows::product(a.of(sentence, head), b.of(sentence, head), targetIn(c_BHMN, sentence, head, scale), m, n, k);
    });
}

/// c = scale · Σ a b over the sentences, in order.
void multiplySummed(const HeadOperand& a, const HeadOperand& b, double scale, const at::Tensor& c_HMN) {
    if (c_HMN.is_meta()) return;
    const std::int64_t m = a.rows(), n = b.columns(), k = a.columns(), sentences = a.x.size(0);
    forEachHead(1, c_HMN.size(0), sentences * m * n * k, [&](std::int64_t, std::int64_t head) {
        rows::ProductTarget c = targetIn(c_HMN, 0, head, scale);
        for (std::int64_t sentence = 0; sentence < sentences; ++sentence, c.adds = true)
            rows::product(a.of(sentence, head), b.of(sentence, head), c, m, n, k);
    });
}

/// An empty tensor of x's sizes, with x's axis order in memory if its rows are dense.
at::Tensor emptyAs(const at::Tensor& x) {
    at::Tensor made = at::empty_like(x);
    return made.stride(-1) == 1 ? made : at::empty(x.sizes(), x.options());
}

/// With torch, which supports double backward.
at::Tensor headProductByTorch(const at::Tensor& a, const at::Tensor& b, bool transposesB) {
    return at::matmul(a, transposesB ? b.transpose(-2, -1) : b);
}

class HeadProduct : public torch::autograd::Function<HeadProduct> {
public:
    /// The memory layout of the result.
    enum class Layout { HeadByHead, RowByRow };

    static at::Tensor forward(HeadContext* context, const at::Tensor& a_BHMK, const at::Tensor& b, bool transposesB,
                              double scale, Layout lies) {
        context->save_for_backward({a_BHMK, b});
        context->saved_data["transposesB"] = transposesB;
        context->saved_data["scale"] = scale;
        const HeadOperand left{a_BHMK}, right{b, transposesB};
        const std::int64_t batch = a_BHMK.size(0), heads = a_BHMK.size(1), m = left.rows(), n = right.columns();
        std::vector<std::int64_t> strides{heads * m * n, m * n, n, 1};
        if (lies == Layout::RowByRow) strides = {heads * m * n, n, heads * n, 1};
        at::Tensor c_BHMN = at::empty_strided({batch, heads, m, n}, strides, a_BHMK.options());
        multiply(left, right, scale, c_BHMN);
        return c_BHMN;
    }

    static HeadTensors backward(HeadContext* context, const HeadTensors& gradients) {
        const HeadTensors saved = context->get_saved_variables();
        const at::Tensor &a = saved[0], &b = saved[1], &dc = gradients[0];
        const bool transposesB = context->saved_data["transposesB"].toBool();
        const double scale = context->saved_data["scale"].toDouble();
        HeadTensors made(5);
        if (at::GradMode::is_enabled()) {
            const at::Tensor scaled = dc * scale;
            if (context->needs_input_grad(0)) made[0] = headProductByTorch(scaled, b, !transposesB);
            if (context->needs_input_grad(1))
                made[1] = at::sum_to(
                    transposesB ? at::matmul(scaled.transpose(-2, -1), a) : at::matmul(a.transpose(-2, -1), scaled), b.sizes());
            return made;
        }
        if (context->needs_input_grad(0)) {
            made[0] = emptyAs(a);
            multiply({dc}, HeadOperand{b, transposesB}.transposed(), scale, made[0]);
        }
        if (!context->needs_input_grad(1)) return made;
        made[1] = emptyAs(b);
        if (b.dim() == 3)
            multiplySummed({a, true}, {dc}, scale, made[1]);
        else if (transposesB)
            multiply({dc, true}, {a}, scale, made[1]);
        else
            multiply({a, true}, {dc}, scale, made[1]);
        return made;
    }
};

/// Attention per head, with the scores of a head in thread-local memory.
class AttentionByHead {
public:
    AttentionByHead(const HeadTensors& qkv, const at::Tensor& hidden_BHQK, double scale)
        : q_{qkv[0]}, k_{qkv[1]}, v_{qkv[2]}, hidden_BHQK_(hidden_BHQK), scale_(scale) {}

    void forward(const at::Tensor& made_BHQE) const {
        if (made_BHQE.is_meta()) return;
        forEachHeadOf([&](std::int64_t sentence, std::int64_t head) {
            const rows::Matrix weights{computeWeights(sentence, head), keys_};
            rows::product(weights, v_.of(sentence, head), targetIn(made_BHQE, sentence, head), queries_, v_.columns(), keys_);
        });
    }

    /// `above`: the gradient of the output; computes those of q, k and v.
    void backward(const HeadOperand& above, const HeadTensors& dqkv) const {
        if (dqkv[0].is_meta()) return;
        const HeadOperand vTransposed = v_.transposed();
        forEachHeadOf([&](std::int64_t sentence, std::int64_t head) {
            float *const weights = computeWeights(sentence, head), *const scores = weights + queries_ * keys_;
            const rows::Matrix dy = above.of(sentence, head);
            rows::product(dy, vTransposed.of(sentence, head), {scores, keys_}, queries_, keys_, v_.columns());
            rows::scoreWeightsBackward(rowsOf(sentence), weights, scores);
            const rows::Matrix weightsTransposed{weights, 1, keys_}, ds{scores, keys_}, dsTransposed{scores, 1, keys_};
            rows::product(ds, k_.of(sentence, head), targetIn(dqkv[0], sentence, head, scale_), queries_, k_.columns(), keys_);
            rows::product(dsTransposed, q_.of(sentence, head), targetIn(dqkv[1], sentence, head, scale_), keys_, q_.columns(),
                          queries_);
            rows::product(weightsTransposed, dy, targetIn(dqkv[2], sentence, head), keys_, v_.columns(), queries_);
        });
    }

private:
    template <typename Work>
    void forEachHeadOf(const Work& work) const {
        forEachHead(q_.x.size(0), q_.x.size(1), queries_ * keys_ * q_.columns(), work);
    }

    rows::ScoreRows rowsOf(std::int64_t sentence) const {
        rows::ScoreRows in{queries_, keys_};
        if (!hidden_BHQK_.defined()) return in;
        in.hidden = hidden_BHQK_.const_data_ptr<bool>() + sentence * hidden_BHQK_.stride(0);
        in.hiddenOfQuery = hidden_BHQK_.stride(2);
        return in;
    }

    /// The weights of a head in a thread-local buffer of twice their size.
    float* computeWeights(std::int64_t sentence, std::int64_t head) const {
        thread_local std::vector<float> room;
        room.resize(std::max(room.size(), static_cast<std::size_t>(2 * queries_ * keys_)));
        float* const weights = room.data();
        rows::product(q_.of(sentence, head), kTransposed_.of(sentence, head), {weights, keys_, static_cast<float>(scale_)},
                      queries_, keys_, q_.columns());
        rows::scoreWeights(rowsOf(sentence), weights);
        return weights;
    }

    HeadOperand q_, k_, v_, kTransposed_ = k_.transposed();
    at::Tensor hidden_BHQK_;
    double scale_;
    std::int64_t queries_ = q_.rows(), keys_ = k_.rows();
};

class HeadAttentionFunction : public torch::autograd::Function<HeadAttentionFunction> {
public:
    static at::Tensor forward(HeadContext* context, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                              const at::Tensor& v_BHKE, const std::optional<at::Tensor>& hidden_BHQK, double scale) {
        const at::Tensor hidden = hidden_BHQK.value_or(at::Tensor());
        context->save_for_backward({q_BHQE, k_BHKE, v_BHKE, hidden});
        context->saved_data["scale"] = scale;
        at::Tensor made_BHQE =
            at::empty({q_BHQE.size(0), q_BHQE.size(2), q_BHQE.size(1), v_BHKE.size(3)}, q_BHQE.options()).transpose_(1, 2);
        AttentionByHead({q_BHQE, k_BHKE, v_BHKE}, hidden, scale).forward(made_BHQE);
        return made_BHQE;
    }

    static HeadTensors backward(HeadContext* context, const HeadTensors& gradients) {
        TORCH_CHECK(!at::GradMode::is_enabled(), "the gradients of attention in one pass have no gradients");
        const HeadTensors saved = context->get_saved_variables();
        HeadTensors made{emptyAs(saved[0]), emptyAs(saved[1]), emptyAs(saved[2])};
        AttentionByHead(saved, saved[3], context->saved_data["scale"].toDouble()).backward({gradients[0]}, made);
        made.resize(5);
        return made;
    }
};

/// Whether the row kernels can read an expanded mask [B,H,Q,K]: equal for all heads, with contiguous keys.
bool takesMask(const at::Tensor& hidden_BHQK) {
    const bool isSameForHeads = hidden_BHQK.stride(1) == 0 || hidden_BHQK.size(1) == 1;
    return isSameForHeads && (hidden_BHQK.stride(3) == 1 || hidden_BHQK.size(3) == 1);
}

/// Not for decoding steps with one row per head, for which preparing b does not pay.
bool usesOwnKernel(OwnKernel kernel, const at::Tensor& a_BHMK, const at::Tensor& b) {
    const bool fits = takesCpuPath(a_BHMK) && a_BHMK.scalar_type() == at::kFloat && b.scalar_type() == at::kFloat &&
                      a_BHMK.size(2) > 1 && a_BHMK.numel() > 0 && b.numel() > 0;
    return fits && mklIsSlowHere() && isUsed(kernel) && !at::autocast::is_autocast_enabled(at::kCPU);
}

}  // namespace

at::Tensor headScores(const at::Tensor& q_BHQE, const at::Tensor& k_BHKE, double scale) {
    if (!usesOwnKernel(OwnKernel::HeadProducts, q_BHQE, k_BHKE)) return headProductByTorch(q_BHQE * scale, k_BHKE, true);
    return HeadProduct::apply(q_BHQE, k_BHKE, true, scale, HeadProduct::Layout::HeadByHead);
}

at::Tensor headMix(const at::Tensor& weights_BHQK, const at::Tensor& v_BHKE) {
    if (!usesOwnKernel(OwnKernel::HeadProducts, weights_BHQK, v_BHKE)) return headProductByTorch(weights_BHQK, v_BHKE, false);
    return HeadProduct::apply(weights_BHQK, v_BHKE, false, 1.0, HeadProduct::Layout::RowByRow);
}

at::Tensor headMap(const at::Tensor& p_BHQK, const at::Tensor& w_HKL) {
    if (usesOwnKernel(OwnKernel::HeadProducts, p_BHQK, w_HKL))
        return HeadProduct::apply(p_BHQK, w_HKL, false, 1.0, HeadProduct::Layout::HeadByHead);
    // One matrix per head times all its rows; broadcasting over the batch would copy w for every sentence.
    return at::einsum("bhqk,hkl->bhql", {p_BHQK, w_HKL});
}

at::Tensor headAttention(const at::Tensor& q_BHQE, const at::Tensor& k_BHKE, const at::Tensor& v_BHKE, const at::Tensor& hidden,
                         double scale) {
    constexpr std::int64_t kScoresInCaches = 1 << 16;
    const std::int64_t queries = q_BHQE.size(2), keys = k_BHKE.size(2);
    if (!usesOwnKernel(OwnKernel::HeadAttention, q_BHQE, k_BHKE) || v_BHKE.scalar_type() != at::kFloat ||
        queries * keys > kScoresInCaches)
        return {};
    const at::Tensor hidden_BHQK =
        hidden.defined() ? hidden.expand({q_BHQE.size(0), q_BHQE.size(1), queries, keys}) : at::Tensor();
    if (hidden.defined() && !takesMask(hidden_BHQK)) return {};
    return HeadAttentionFunction::apply(q_BHQE, k_BHKE, v_BHKE, ifThere(hidden_BHQK), scale);
}

}  // namespace heddle
