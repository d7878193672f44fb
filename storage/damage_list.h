// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_query.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle::storage {

/// The damages found by a query, each once, in order of discovery.
class DamageList {
public:
    using OnDamage = std::function<void(const RunQuery::Damage&)>;

    explicit DamageList(OnDamage onDamage) : onDamage_(std::move(onDamage)) {}
    void add(const std::string& run, std::string text);
    const std::vector<RunQuery::Damage>& all() const { return all_; }

private:
    OnDamage onDamage_;
    std::vector<RunQuery::Damage> all_;
};

}  // namespace heddle::storage
