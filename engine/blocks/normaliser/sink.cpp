// SPDX-License-Identifier: Apache-2.0
// Softmax with a sink (gpt-oss, OpenAI 2025, section 2; Xiao et al. 2024, section 3.3, for the learned sink):
//   p_k = exp(z_k) / (exp(b_h) + Σ_j exp(z_j))    z, p [B,H,Q,K]; b [H], 0 at the start
// The weights of a query sum to less than 1: the rest is that of the sink, whose value is 0. With b = 0 it is Miller's softmax₁
// (2023), with b = −∞ the softmax.
#include "engine/blocks/block_file.h"
#include "engine/spec/variant_spec.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeSinkNormaliser() {
    BlockDescriptor b;
    b.title = "Softmax with a learned sink";
    b.summary =
        "Attention sink (gpt-oss, OpenAI 2025): a softmax with one more logit, learned for each head, whose weight no key "
        "receives.";
    b.formula = "p_k = exp(z_k) / (exp(b_h) + Σ_j exp(z_j))";
    b.shapes = "z, p [B,H,Q,K]; b [H]";
    b.reference =
        "gpt-oss (OpenAI 2025, arXiv 2508.10925), section 2; Xiao et al. 2024 (StreamingLLM, arXiv 2309.17453), section 3.3";
    b.reading = "Reading. gpt-oss does not say how the sinks start; here they are 0.";
    b.parameterCount = [](const BlockContext& where, const Json&) { return where.dims.heads; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    b.exposures = {{kAttentionWeight, "attention weight, without the share of the sink", Exposure::Quantity::Weight, "BHQK", 0,
                    1, false, true, true}};
    return b;
}

#else

namespace {

class SinkNormaliser final : public Normaliser {
public:
    explicit SinkNormaliser(const BuildContext& c)
        : sink_H_(c.scope.declare("sink", {c.where.dims.heads}, {Initial::Kind::Zeros})) {}

    at::Tensor normalise(const at::Tensor& logits_BHQK) const override {
        const std::int64_t keys = logits_BHQK.size(3);
        const at::Tensor sink_BHQ1 =
            sink_H_.to(logits_BHQK.scalar_type()).view({1, -1, 1, 1}).expand({logits_BHQK.size(0), -1, logits_BHQK.size(2), 1});
        return at::softmax(at::cat({logits_BHQK, sink_BHQ1}, -1), -1).narrow(-1, 0, keys);
    }

private:
    at::Tensor sink_H_;
};

}  // namespace

std::unique_ptr<Block> makeSinkNormaliser(const BuildContext& context) { return std::make_unique<SinkNormaliser>(context); }

#endif

}  // namespace heddle
