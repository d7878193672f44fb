// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/gate_watch.h"

#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/run/interventions.h"
#include "engine/spec/variant_spec.h"

namespace heddle {
namespace {

bool isCounted(const Exposure& exposure) {
    const bool ofNoExample = exposure.axes.find('B') == std::string::npos;
    return exposure.histogram && (ofNoExample || (exposure.isGate() && isOverPositions(exposure)));
}

/// Positions of the first real tokens in row-major ids.
std::vector<std::int64_t> firstPositions(const std::vector<std::int64_t>& ids) {
    std::vector<std::int64_t> positions;
    for (std::size_t i = 0; i < ids.size() && positions.size() < GateWatch::kSampledPositions; ++i)
        if (ids[i] != kPad) positions.push_back(static_cast<std::int64_t>(i));
    return positions;
}

}  // namespace

GateWatch::GateWatch(const ResolvedVariant& variant, const at::Device& device) : device_(device) {
    for (const auto& [module, sublayer, exposure] : exposuresOf(variant))
        if (isCounted(exposure))
            watched_[module + "." + exposure.id] = {{exposure.low, exposure.high}, isOverPositions(exposure)};
}

StepNumbers::Sampled GateWatch::sampled(const Batch& batch) {
    return {firstPositions(batch.source), firstPositions(batch.targetIn)};
}

void GateWatch::begin(const StepInput& input) {
    sourcePositions_ = input.sampledSource();
    targetPositions_ = input.sampledTarget();
    counted_.clear();
    rows_.clear();
}

bool GateWatch::wants(const std::string& module, const char* exposure) const {
    return watched_.contains(module + "." + exposure);
}

at::Tensor GateWatch::pass(const std::string& module, const char* exposure, const at::Tensor& value) {
    const auto found = watched_.find(module + "." + exposure);
    if (found == watched_.end()) return value;
    const at::NoGradGuard noGrad;
    const HistogramRange range = found->second.range;
    counted_.push_back({module, exposure, range});
    rows_.push_back(countHistogram(sample(found->second, module, value), range));
    return value;
}

at::Tensor GateWatch::sample(const Watched& watched, const std::string& module, const at::Tensor& value) const {
    if (!watched.hasPositions) return value.detach().to(device_).reshape({-1, 1});
    const bool ofSource = module.starts_with("encoder.");
    return value.detach().flatten(0, 1).index_select(0, ofSource ? sourcePositions_ : targetPositions_);
}

WatchedStep GateWatch::take() {
    WatchedStep watched{std::move(counted_), rows_.empty() ? at::Tensor() : at::stack(rows_)};
    counted_.clear();
    rows_.clear();
    return watched;
}

void GateWatch::keep(std::int64_t step, const WatchedStep& watched) {
    if (watched.rows_EC.defined()) kept_.push_back({step, {watched.counted, watched.rows_EC.clone()}});
}

void GateWatch::emit(Emitter& emitter) {
    if (kept_.empty()) return;
    std::vector<at::Tensor> rows;
    for (const Kept& kept : kept_) rows.push_back(kept.watched.rows_EC);
    const at::Tensor host_EC = at::cat(rows).to(at::kCPU).contiguous();
    const double* row = host_EC.const_data_ptr<double>();
    for (const auto& [step, watched] : kept_) {
        for (const auto& [module, exposure, range] : watched.counted) {
            HistogramTaken histogram = readHistogram(row, range);
            histogram.name = exposure;
            histogram.path = module;
            emitter.emitAt(step, std::move(histogram));
            row += host_EC.size(1);
        }
    }
    kept_.clear();
}

}  // namespace heddle
