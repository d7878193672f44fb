// SPDX-License-Identifier: Apache-2.0
#include "storage/damage_list.h"

#include <algorithm>
#include <utility>

namespace heddle::storage {

void DamageList::add(const std::string& run, std::string text) {
    RunQuery::Damage damage{run, std::move(text)};
    if (std::find(all_.begin(), all_.end(), damage) != all_.end()) return;
    if (onDamage_) onDamage_(damage);
    all_.push_back(std::move(damage));
}

}  // namespace heddle::storage
