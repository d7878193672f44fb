// SPDX-License-Identifier: Apache-2.0
#include "engine/decode/cross_attention.h"

#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/spec/variant_spec.h"

#include <algorithm>
#include <set>

namespace heddle {
namespace {

/// Records the weights of the decoder's cross-attentions.
class CrossTaps final : public Taps {
public:
    explicit CrossTaps(const Model& model) {
        for (const std::string& path : model.attentionPaths())
            if (path.starts_with("decoder.") && path.ends_with(".cross")) paths_.insert(path);
    }

    bool wants(const std::string& module, const char* exposure) const override {
        return paths_.contains(module) && std::string_view(exposure) == kAttentionWeight;
    }

    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& weight_BHQK) override {
        if (!wants(module, exposure)) return weight_BHQK;
        const at::Tensor host_HQK = weight_BHQK.detach().select(0, 0).to(at::kCPU, at::kFloat).contiguous();
        const auto pass = std::count_if(maps.begin(), maps.end(), [&](const auto& map) { return map.path == module; });
        const float* const values = host_HQK.const_data_ptr<float>();
        maps.push_back(
            {module, pass, host_HQK.size(0), host_HQK.size(1), host_HQK.size(2), {values, values + host_HQK.numel()}});
        return weight_BHQK;
    }

    std::vector<AttentionMap> maps;

private:
    std::set<std::string> paths_;
};

at::Tensor rowOf(std::vector<std::int64_t> ids, const at::Device& device) {
    const auto width = static_cast<std::int64_t>(ids.size());
    return idsToDevice(ids, {1, width}, device);
}

}  // namespace

std::vector<AttentionMap> crossAttention(const Model& model, const Sentence& source, const Decoded& translation,
                                         const DecodeOptions& options) {
    const at::NoGradGuard noGrad;
    std::vector<std::int64_t> sourceIds(source.begin(), source.end()), read{kSos};
    sourceIds.push_back(kEos);
    read.insert(read.end(), translation.tokens.begin(), translation.tokens.end());
    if (!translation.ended) read.pop_back();  // the decoder did not read the last token
    if (read.empty()) return {};
    CrossTaps taps(model);
    Forward forward;
    const at::Tensor source_BS = rowOf(sourceIds, options.device);
    const AutocastScope autocast(options.device, options.precision);
    const Memory memory{model.encode({source_BS, {}}, forward), source_BS};
    forward.taps = &taps;
    model.decode({rowOf(read, options.device), {}}, memory, forward);
    return std::move(taps.maps);
}

}  // namespace heddle
