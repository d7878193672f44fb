// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/base_dims.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

Dims Dims::base() const {
    Dims made = *this;
    made.baseD = made.baseF = made.baseHeads = 0;
    if (baseD == 0) return made;
    made.d = baseD, made.f = baseF, made.heads = baseHeads;
    const auto widthIn = [&](std::int64_t width) {
        return width == d / heads ? std::max<std::int64_t>(1, baseD / baseHeads) : width;
    };
    made.keyDim = widthIn(keyDim), made.valueDim = widthIn(valueDim);
    made.kvHeads = kvHeads * baseHeads / heads;
    return made;
}

void resolveBase(Dims& dims, std::vector<Problem>& problems) {
    const auto report = [&](const char* path, const std::string& what, const char* next) {
        problems.push_back({path, what, next});
    };
    if (dims.baseD == 0) {
        if (dims.baseF > 0 || dims.baseHeads > 0)
            report(dims.baseF > 0 ? "dims.base_f" : "dims.base_heads", "there is no base model", "set dims.base_d, too");
        dims.baseF = dims.baseHeads = 0;
        return;
    }
    if (dims.baseF == 0) {
        if (dims.f * dims.baseD % dims.d != 0)
            report("dims.base_f", fmt::format("f = {} is not divisible in proportion to d and base_d", dims.f), "set it");
        dims.baseF = std::max<std::int64_t>(1, dims.f * dims.baseD / dims.d);
    }
    if (dims.baseHeads == 0) dims.baseHeads = dims.heads;
    if (dims.keyDim == dims.d / dims.heads && dims.baseD % dims.baseHeads != 0)
        report("dims.base_heads", fmt::format("base_d = {} is not divisible by {} heads", dims.baseD, dims.baseHeads),
               "choose a number of heads that divides base_d, or set key_dim");
    if (dims.kvHeads * dims.baseHeads % dims.heads != 0)
        report("dims.base_heads", "kv_heads is not divisible in proportion to heads and base_heads",
               "choose a number with which it is");
}

}  // namespace heddle
