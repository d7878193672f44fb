// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/saturation.h"

namespace heddle {

double saturatedShare(const std::vector<std::uint32_t>& bins, std::uint64_t below, std::uint64_t above) {
    std::uint64_t outer = below + above, whole = outer;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        const double middle = (double(i) + 0.5) / double(bins.size());
        whole += bins[i];
        if (middle < 0.05 || middle > 0.95) outer += bins[i];
    }
    return whole == 0 ? 0 : double(outer) / double(whole);
}

}  // namespace heddle
