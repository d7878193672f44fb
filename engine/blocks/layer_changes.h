// SPDX-License-Identifier: Apache-2.0
// ‖h^{l+1} − h^l‖ / ‖h^l‖, pass by pass: how near a stack comes to a fixed point (StarSaber paper, section 3.2).
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

/// The exposure of every block of slot "share". Recorded where nearness to a fixed point is what the stack is about: a block
/// whose layers are one sets `histogram`.
Exposure layerChangesExposure();

#else

/// Collects the changes where somebody watches, for the taps alone.
class LayerChanges {
public:
    /// `path`: of the share block.
    LayerChanges(const std::string& path, const Forward& f);
    void note(const at::Tensor& before_BSD, const at::Tensor& after_BSD);
    void show() const;  ///< one number a pass

private:
    const std::string& path_;
    const Forward& forward_;
    bool isWanted_;
    std::vector<at::Tensor> changes_;
};

/// h through `layers` layers, 0 first; `step` says what a layer is.
at::Tensor runLayers(const at::Tensor& h_BSD, std::int64_t layers, const Share::Step& step, LayerChanges& changes);

#endif

}  // namespace heddle
