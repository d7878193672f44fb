// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/mixer.h"
#include "engine/model/module_part.h"

#include <string>

namespace heddle {

/// A recurrent network as the mixer of a sublayer.
class RecurrentMixer final : public Mixer {
public:
    RecurrentMixer(std::string path, ModulePart<Recurrence> block) : path_(std::move(path)), block_(std::move(block)) {}
    at::Tensor mix(const at::Tensor& u_BSD, const Adjuster*, const MixContext& context, const Forward&) const override {
        return block_->read(u_BSD, context.self->padding());
    }
    std::string stepObstacle(Steps) const override {
        return path_ + ": a recurrent network in both directions reads whole sequences";
    }

private:
    std::string path_;
    ModulePart<Recurrence> block_;
};

}  // namespace heddle
