// SPDX-License-Identifier: Apache-2.0
#include "engine/model/stack.h"

#include "engine/blocks/incremental.h"
#include "engine/device/torch_pch.h"

namespace heddle {

at::Tensor withPosition(const Position& position, const at::Tensor& x_BSD, const StepPosition& at) {
    if (!at.onDevice_1.defined()) return position.add(x_BSD, at.first);
    return dynamic_cast<const IncrementalPosition&>(position).addAt(x_BSD, at.onDevice_1);
}

at::Tensor Stack::run(const at::Tensor& x_BSD, const MixContext& context, const Forward& f) const {
    MixContext own = context;
    own.input_BSD = x_BSD;
    return runFrom(parts_.start->start(x_BSD), own, f);
}

at::Tensor Stack::runFrom(const at::Tensor& start_BSD, const MixContext& context, const Forward& f) const {
    PassState state;
    MixContext own = context;
    own.state = &state;
    const Share::Step step = [&](std::int64_t layer, const at::Tensor& h_BSD) {
        at::Tensor y_BSD = parts_.position ? withPosition(*parts_.position, h_BSD, own.position) : h_BSD;
        for (const Sublayer& sublayer : parts_.layers.at(static_cast<std::size_t>(layer))) y_BSD = sublayer.run(y_BSD, own, f);
        return y_BSD;
    };
    const at::Tensor h_BSD = parts_.share->run(start_BSD, parts_.depth, step, f);
    return parts_.finalNorm ? parts_.finalNorm->normalise(h_BSD) : h_BSD;
}

std::string Stack::captureObstacle(const std::string& name) const {
    if (dynamic_cast<const IncrementalShare*>(parts_.share.get()) || !parts_.share) return {};
    return name + ".share: how often the stream goes through the layers depends on its values, which the host must read";
}

std::string Stack::stepObstacle(const std::string& name, Steps steps) const {
    if (!dynamic_cast<const IncrementalShare*>(parts_.share.get()))
        return name + ".share: how often the stream goes through the layers depends on the whole sequence";
    for (const Layer& layer : parts_.layers) {
        for (const Sublayer& sublayer : layer) {
            if (auto obstacle = sublayer.stepObstacle(steps); !obstacle.empty()) return obstacle;
        }
    }
    return {};
}

}  // namespace heddle
