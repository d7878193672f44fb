// SPDX-License-Identifier: Apache-2.0
#include "engine/train/gate_watch.h"

#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/train/device_batch.h"
#include "engine/train/exposures.h"

namespace heddle {
namespace {

bool isOfPositions(const Exposure& exposure) { return exposure.axes.starts_with("BS"); }

bool isCounted(const Exposure& exposure) {
    const bool gate = exposure.quantity == Exposure::Quantity::UnitGate || exposure.quantity == Exposure::Quantity::SignedGate;
    const bool ofNoExample = exposure.axes.find('B') == std::string::npos;
    return exposure.histogram && (ofNoExample || (gate && isOfPositions(exposure)));
}

/// Positions of the first real tokens in row-major ids.
std::vector<std::int64_t> firstPositions(const std::vector<std::int64_t>& ids) {
    std::vector<std::int64_t> positions;
    for (std::size_t i = 0; i < ids.size() && positions.size() < GateWatch::kSampledPositions; ++i)
        if (ids[i] != kPad) positions.push_back(static_cast<std::int64_t>(i));
    return positions;
}

}  // namespace

GateWatch::GateWatch(const ResolvedVariant& variant, const Catalogue& catalogue, const at::Device& device) : device_(device) {
    for (const auto& [module, sublayer, exposure] : exposuresOf(variant, catalogue))
        if (isCounted(exposure))
            watched_[module + "." + exposure.id] = {{exposure.low, exposure.high}, isOfPositions(exposure)};
}

void GateWatch::begin(std::int64_t step, const Batch& batch) {
    step_ = step;
    const auto source = firstPositions(batch.source), target = firstPositions(batch.targetIn);
    sourcePositions_ = idsToDevice(source, {static_cast<std::int64_t>(source.size())}, device_);
    targetPositions_ = idsToDevice(target, {static_cast<std::int64_t>(target.size())}, device_);
}

bool GateWatch::wants(const std::string& module, const char* exposure) const {
    return watched_.contains(module + "." + exposure);
}

at::Tensor GateWatch::pass(const std::string& module, const char* exposure, const at::Tensor& value) {
    const auto found = watched_.find(module + "." + exposure);
    if (found == watched_.end()) return value;
    const at::NoGradGuard noGrad;
    const HistogramRange range = found->second.range;
    counted_.push_back({step_, module, exposure, range, countHistogram(sample(found->second, module, value), range)});
    return value;
}

at::Tensor GateWatch::sample(const Watched& watched, const std::string& module, const at::Tensor& value) const {
    if (!watched.hasPositions) return value.detach().to(device_).reshape({-1, 1});
    const bool ofSource = module.starts_with("encoder.");
    return value.detach().flatten(0, 1).index_select(0, ofSource ? sourcePositions_ : targetPositions_);
}

void GateWatch::emit(Emitter& emitter) {
    if (counted_.empty()) return;
    std::vector<at::Tensor> rows;
    for (const Counted& counted : counted_) rows.push_back(counted.row);
    const auto host = at::stack(rows).to(at::kCPU).contiguous();
    const double* row = host.const_data_ptr<double>();
    for (const Counted& counted : counted_) {
        HistogramTaken histogram = readHistogram(row, counted.range);
        histogram.name = counted.exposure;
        histogram.path = counted.module;
        emitter.emitAt(counted.step, std::move(histogram));
        row += host.size(1);
    }
    counted_.clear();
}

}  // namespace heddle
