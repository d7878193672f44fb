// SPDX-License-Identifier: Apache-2.0
// ‖h^{l+1} − h^l‖ / ‖h^l‖, per pass: the stack's convergence to a fixed point (StarSaber paper, section 3.2).
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

/// The exposure of every block of slot "share". Blocks that iterate one layer set `histogram`, since convergence is their
/// purpose.
Exposure layerChangesExposure();

#else

/// Collects the changes if a tap wants them.
class LayerChanges {
public:
    /// `path`: of the share block.
    LayerChanges(const std::string& path, const Forward& f);
    void note(const at::Tensor& before_BSD, const at::Tensor& after_BSD);
    void show() const;  ///< one number per pass

private:
    const std::string& path_;
    const Forward& forward_;
    bool isWanted_;
    std::vector<at::Tensor> changes_;
};

/// Applies `layers` layers to h, from layer 0 on; `step` evaluates a layer.
at::Tensor runLayers(const at::Tensor& h_BSD, std::int64_t layers, const Share::Step& step, LayerChanges& changes);

#endif

}  // namespace heddle
