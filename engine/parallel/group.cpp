// SPDX-License-Identifier: Apache-2.0
#include "engine/parallel/group.h"

#include "engine/device/torch_pch.h"
#include "engine/parallel/c10d_group.h"

namespace heddle {

const ProcessPlace& Group::place() const {
    static const ProcessPlace kAlone;
    return kAlone;
}

std::unique_ptr<Group> joinGroup(const ProcessPlace& place) {
    if (place.isAlone()) return std::make_unique<Group>();
    return std::make_unique<C10dGroup>(place);
}

}  // namespace heddle
