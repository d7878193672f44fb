// SPDX-License-Identifier: Apache-2.0
// The common part of value blocks without an output projection: the concatenated heads are the output.
#pragma once

#include "engine/blocks/heads.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/connections.h"
#include "engine/blocks/incremental.h"

#include <type_traits>
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

/// The problem of heads whose total width is not that of the stream; nothing if it is.
std::optional<Problem> headsFillTheWidth(const BlockContext& where);

#else

/// weights · v per head, concatenated; `Map` computes the values v [B,K,D] of x [B,K,D].
template <class Map>
class UnprojectedValue final : public Value, public IncrementalValue {
public:
    UnprojectedValue(const BuildContext& c, Map map)
        : path_(c.scope.path()), heads_(c.where.dims.heads), map_(std::move(map)) {}

    BiasedProduct aggregate(const at::Tensor& weights_BHQK, const LinearInput& x, const InnerAdjuster* inner,
                            const Forward& f) const override {
        return merge(at::matmul(weights_BHQK, heads(x)), inner, f);
    }
    at::Tensor keep(const at::Tensor& x_BKD) const override { return heads(x_BKD); }
    at::Tensor mixCached(const at::Tensor& weights_BHQK, const Cached& cached, const InnerAdjuster* inner,
                         const Forward& f) const override {
        return merge(at::matmul(weights_BHQK, cached.values_BGKE), inner, f);
    }
    std::vector<const Linear*> maps() const override {
        if constexpr (std::is_same_v<Map, Linear>) return {&map_};
        return {};
    }
    at::Tensor heads(const LinearInput& x) const override {
        if constexpr (std::is_same_v<Map, Linear>) return splitHeads(x.by(map_), heads_);
        return splitHeads(map_(x.x()), heads_);
    }
    BiasedProduct merge(const at::Tensor& heads_BHQE, const InnerAdjuster*, const Forward& f) const override {
        return joinHeads(f.pass(path_, kHeadOutput, heads_BHQE));
    }

private:
    std::string path_;
    std::int64_t heads_;
    Map map_;
};

#endif

}  // namespace heddle
