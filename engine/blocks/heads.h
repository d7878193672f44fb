// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// Options of blocks whose heads share projections in groups.
struct HeadGroupOptions {
    std::int64_t groups = 1;
};
const OptionFields<HeadGroupOptions>& headGroupOptions();

#ifdef HEDDLE_MODULES

/// [B,S,H·E] → [B,H,S,E]
at::Tensor splitHeads(const at::Tensor& x_BSD, std::int64_t heads);
/// [B,H,S,E] → [B,S,H·E]
at::Tensor joinHeads(const at::Tensor& x_BHSE);
/// [B,G,S,E] → [B,H,S,E]: repeats each of the G heads H / G times.
at::Tensor repeatGroups(const at::Tensor& x_BGSE, std::int64_t heads);
/// headScores(q, repeatGroups(k), scale) and headMix(w, repeatGroups(v)) without the repetition: one product for the heads of a
/// group.
at::Tensor groupedScores(const at::Tensor& q_BHQE, const at::Tensor& k_BGKE, double scale);
at::Tensor groupedMix(const at::Tensor& weights_BHQK, const at::Tensor& v_BGKE);

#else

/// The problem of groups that do not divide the heads; nothing if they do.
std::optional<Problem> groupsDivideHeads(const BlockContext& where, const HeadGroupOptions& o);

#endif

}  // namespace heddle
