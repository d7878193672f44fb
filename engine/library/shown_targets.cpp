// SPDX-License-Identifier: Apache-2.0
#include "engine/library/shown_targets.h"

#include "engine/device/torch_pch.h"

#include <set>
#include <string>
#include <vector>

namespace heddle {
namespace {

/// Records which of these exposures a pass shows. It wants no others, since blocks do extra work for wanted ones.
class PassedTaps final : public Taps {
public:
    explicit PassedTaps(const std::vector<std::string>& paths) : paths_(paths.begin(), paths.end()) {}
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        passed.insert(module + "." + exposure);
        return value;
    }
    bool wants(const std::string& module, const char* exposure) const override {
        return paths_.contains(module + "." + exposure);
    }
    std::set<std::string> passed;

private:
    std::set<std::string> paths_;
};

}  // namespace

void dropUnshown(InterventionTargets& targets, const Model& model, const at::Device& device) {
    const at::NoGradGuard noGrad;
    const ModelReads reads = readsOf(model.variant());
    PassedTaps taps(targets.clampable());
    Forward forward;
    forward.taps = &taps;
    const at::Tensor ids_BS = at::full({1, 3}, kEos, at::TensorOptions(at::kLong).device(device));
    at::Tensor source = ids_BS;
    if (reads.patches) source = at::zeros({1, 1, reads.patches->numbers()}, at::TensorOptions(at::kFloat).device(device));
    const at::Tensor hidden_BSW = hiddenOf(model, {source, {}}, {ids_BS, {}}, forward);
    if (!reads.target) model.pool(hidden_BSW, source, forward);
    std::erase_if(targets.exposures,
                  [&](const ModuleExposure& one) { return one.exposure.clampable && !taps.passed.contains(one.path()); });
}

}  // namespace heddle
