// SPDX-License-Identifier: Apache-2.0
#include "engine/model/ablation.h"

#include "engine/base/error.h"
#include "engine/blocks/connections.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/variant_spec.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle {

std::string outputTap(const std::string& path, std::int64_t head, const ResolvedVariant& variant) {
    if (head != kNoHead) return path + ".value." + kHeadOutput;
    const auto sublayers = sublayersOf(variant);
    const bool isSublayer =
        std::any_of(sublayers.begin(), sublayers.end(), [&](const ResolvedSublayer* one) { return one->path == path; });
    return isSublayer ? path + "." + kSublayerOutput : path;
}

OutputSums::OutputSums(const std::vector<Intervention>& interventions, const ResolvedVariant& variant) {
    for (const Intervention& one : interventions)
        if (const auto* mean = std::get_if<MeanOutput>(&one))
            sums_[outputTap(mean->path, mean->head, variant)].hasHeads = mean->head != kNoHead;
}

void OutputSums::add(const std::string& tap, const at::Tensor& value, const at::Tensor& padding_BS) {
    const auto found = sums_.find(tap);
    if (found == sums_.end()) return;
    Sum& sum = found->second;
    const at::Tensor all = value.detach().to(at::kDouble);
    const at::Tensor values = sum.hasHeads ? all.transpose(1, 2) : all;  // [B,S,H,E] or [B,S,D]
    at::Tensor shown = values, positions;
    if (padding_BS.defined()) {
        std::vector<std::int64_t> sizes(static_cast<std::size_t>(values.dim()), 1);
        sizes[0] = padding_BS.size(0), sizes[1] = padding_BS.size(1);
        shown = values.masked_fill(padding_BS.view(sizes), 0);
        positions = padding_BS.logical_not().sum();
    } else {
        positions = at::full({}, values.size(0) * values.size(1), at::TensorOptions(at::kLong).device(values.device()));
    }
    const auto addTo = [](at::Tensor& total, const at::Tensor& some) { total = total.defined() ? total + some : some; };
    addTo(sum.sum, shown.sum(at::IntArrayRef{0, 1}));
    addTo(sum.positions, positions);
    if (sum.hasHeads) addTo(sum.lengths, shown.norm(2, at::IntArrayRef{-1}).sum(at::IntArrayRef{0, 1}));
}

OutputMeans OutputSums::means() const {
    OutputMeans means;
    for (const auto& [tap, sum] : sums_) {
        if (!sum.sum.defined())
            throw Error(ErrorCode::Usage, "no pass of this model shows " + tap + ", so it has no mean", "--mean",
                        "mute the head, or choose another output");
        means[tap] = sum.sum / sum.positions;
    }
    return means;
}

OutputMeans OutputSums::lengths() const {
    OutputMeans lengths;
    for (const auto& [tap, sum] : sums_)
        if (sum.lengths.defined()) lengths[tap] = sum.lengths / sum.positions;
    return lengths;
}

std::vector<std::int64_t> otherRows(std::int64_t rows) {
    std::vector<std::int64_t> others(static_cast<std::size_t>(rows));
    std::iota(others.begin(), others.end(), std::int64_t{0});
    const RandomKey key = randomKey(kResampleSeed, "resample");
    for (std::size_t last = others.size(); last-- > 1;)
        std::swap(others[last], others[randomBits(key, last) % last]);  // never with itself
    return others;
}

at::Tensor resampled(const at::Tensor& x_BSD, const at::Tensor& padding_BS) {
    const auto options = at::TensorOptions(at::kLong).device(x_BSD.device());
    const at::Tensor rows_B = at::tensor(otherRows(x_BSD.size(0))).to(x_BSD.device());
    const at::Tensor other_BSD = x_BSD.index_select(0, rows_B);
    if (!padding_BS.defined()) return other_BSD;
    const at::Tensor length_B1 = padding_BS.logical_not().sum(1, /*keepdim=*/true).clamp_min(1).index_select(0, rows_B);
    at::Tensor position_BS = at::arange(x_BSD.size(1), options).unsqueeze(0).remainder(length_B1);
    while (position_BS.dim() < other_BSD.dim()) position_BS = position_BS.unsqueeze(-1);  // [B,S,N,N]: mixing of streams
    return other_BSD.gather(1, position_BS.expand_as(other_BSD));
}

}  // namespace heddle
