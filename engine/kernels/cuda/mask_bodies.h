// SPDX-License-Identifier: Apache-2.0
#pragma once

// ReLU with dropout and its mask. An item is a word of the mask, with its eight quads of elements.

#include "engine/device/cuda_product_arguments.h"
#include "engine/kernels/cuda/rows.h"

namespace heddle::cuda {

template <class T>
struct ReluDropoutPass {
    static constexpr int kThreadsAtOnce = 1024, kQuadsOfWord = 8;
    ReluDropoutArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t word, Team& team) const {
        std::uint32_t bits = 0;
        for (int k = team.lane(); k < kQuadsOfWord; k += team.lanes()) {
            const Quad q{(word * kQuadsOfWord + k) * 4, 0, 4};
            Four x = load<T>(a.x, q);
            HEDDLE_UNROLL
            for (float& v : x.v) v = v <= 0 ? 0.0F : v;
            Drawing(a.drop).apply(x, q);
            store<T>(a.y, q, x);
            HEDDLE_UNROLL
            for (int i = 0; i < 4; ++i) bits |= (x.v[i] != 0 ? 1U : 0U) << (4 * k + i);
        }
        bits = team.sum(bits);  // each bit is of one lane
        if (team.lane() == 0) a.mask[word] = bits;
    }
};

}  // namespace heddle::cuda
