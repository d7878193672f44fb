// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/linear_input.h"

#include "engine/device/meta_device.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/joint_parts.h"

#include <algorithm>

namespace heddle {
namespace {

bool isJoinedOnCpu(const Linear* map) { return !map->isApartOnCpu; }

/// The maps in the order in which they are stored.
std::vector<const Linear*> asStored(std::vector<const Linear*> maps) {
    std::stable_partition(maps.begin(), maps.end(), isJoinedOnCpu);
    return maps;
}

}  // namespace

LinearInput::LinearInput(at::Tensor x_BSD, const std::vector<const Linear*>& all) : LinearInput(std::move(x_BSD)) {
    std::vector<const Linear*> maps = asStored(all);
    if (takesCpuPath(x_BSD_)) maps.erase(std::find_if_not(maps.begin(), maps.end(), isJoinedOnCpu), maps.end());
    if (maps.size() < 2) return;
    const bool hasBias = std::any_of(maps.begin(), maps.end(), [](const Linear* map) { return map->bias.defined(); });
    std::vector<at::Tensor> weights, biases;
    std::vector<std::int64_t> widths;
    for (const Linear* map : maps) {
        weights.push_back(map->weight);
        widths.push_back(map->weight.size(0));
        if (hasBias) biases.push_back(map->bias.defined() ? map->bias : at::zeros({widths.back()}, map->weight.options()));
    }
    const at::Tensor joint = affine(x_BSD_, weights, biases);
    const std::vector<at::Tensor> parts = takesCpuPath(x_BSD_) ? joint.split_with_sizes(widths, -1) : jointParts(joint, widths);
    for (std::size_t i = 0; i < maps.size(); ++i) made_.push_back({maps[i], parts[i]});
}

at::Tensor LinearInput::by(const Linear& map) const {
    const auto made = std::find_if(made_.begin(), made_.end(), [&](const Made& one) { return one.map == &map; });
    return made != made_.end() ? made->y_BSD : map(x_BSD_);
}

std::vector<std::vector<at::Tensor>> jointParameters(const std::vector<const Linear*>& maps) {
    if (maps.size() < 2) return {};
    std::vector<std::vector<at::Tensor>> joint(2);
    for (const Linear* map : asStored(maps)) {
        joint[0].push_back(map->weight);
        if (map->bias.defined()) joint[1].push_back(map->bias);
    }
    if (joint[1].size() < 2) joint.pop_back();
    return joint;
}

}  // namespace heddle

#endif
