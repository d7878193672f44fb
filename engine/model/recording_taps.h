// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/taps.h"

#include <map>
#include <string>

namespace heddle {

/// Records the value of every exposure of a forward pass, detached, by "<module path>.<exposure>". Replaces nothing.
class RecordingTaps final : public Taps {
public:
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        seen_[module + "." + exposure] = value.detach();
        return value;
    }
    bool wants(const std::string&, const char*) const override { return true; }

    const std::map<std::string, at::Tensor>& seen() const { return seen_; }

private:
    std::map<std::string, at::Tensor> seen_;
};

}  // namespace heddle
