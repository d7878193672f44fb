// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_query.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle::storage {

/// What a query has found damaged, each once, in the order in which it was met.
class DamageList {
public:
    using Met = std::function<void(const RunQuery::Damage&)>;

    explicit DamageList(Met met) : met_(std::move(met)) {}
    void add(const std::string& run, std::string text);
    const std::vector<RunQuery::Damage>& all() const { return all_; }

private:
    Met met_;
    std::vector<RunQuery::Damage> all_;
};

}  // namespace heddle::storage
