// SPDX-License-Identifier: Apache-2.0
// The residual sum of DeepNorm and Keel, which weighs the stream by a constant: y = α r + s, r, s, y [B,S,D].
#pragma once

#include "engine/blocks/block_file.h"

#ifdef HEDDLE_MODULES

namespace heddle {

class WeighedStreamResidual final : public Residual {
public:
    explicit WeighedStreamResidual(double alpha) : alpha_(alpha) {}
    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor&, const at::Tensor& s_BSD, const Forward&) const override {
        return at::add(s_BSD, r_BSD, alpha_);
    }

private:
    double alpha_;
};

}  // namespace heddle

#endif
