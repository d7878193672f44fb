// SPDX-License-Identifier: Apache-2.0
#include "app/cli/system_use.h"

#include "app/cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace heddle::app {

std::vector<SystemUse> systemUseOf(storage::RunQuery& query, const std::string& run) {
    std::vector<SystemUse> all;
    for (const SystemSeries& series : kSystemSeries) {
        double sum = 0, highest = -std::numeric_limits<double>::infinity();
        std::int64_t n = 0;
        for (const auto& bucket :
             query.overview(run, std::string(series.name), "", 0, std::numeric_limits<std::int64_t>::max(), 1)) {
            sum += bucket.mean * static_cast<double>(bucket.n);
            highest = std::max(highest, static_cast<double>(bucket.maximum));
            n += bucket.n;
        }
        if (n > 0) all.push_back({series, series.factor * sum / static_cast<double>(n), series.factor * highest, n});
    }
    return all;
}

std::string systemText(const std::vector<SystemUse>& use) {
    if (use.empty()) return "";
    Table table({"system", "mean", "highest", ""});
    for (const SystemUse& one : use) {
        const auto text = [&](double value) { return fmt::format("{:.{}f}", value, one.series.decimals); };
        table.add({fmt::format("  {}", one.series.title), text(one.mean), text(one.highest), std::string(one.series.unit)});
    }
    return table.right({1, 2}).text();
}

Json systemDocument(const std::vector<SystemUse>& use) {
    Json all = Json::array();
    for (const SystemUse& one : use)
        all.push_back({{"name", std::string(one.series.name)},
                       {"unit", std::string(one.series.unit)},
                       {"mean", one.mean},
                       {"maximum", one.highest},
                       {"n", one.n}});
    return all;
}

}  // namespace heddle::app
