// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the database that a test opened first in its window.
#pragma once

#include "ui/data/run_database.h"

#include <string>
#include <vector>

namespace heddle::ui::test {

inline RunRef refOf(const std::string& id) { return {1, id}; }

inline std::vector<RunRef> refsOf(const std::vector<std::string>& ids) {
    std::vector<RunRef> refs;
    for (const auto& id : ids) refs.push_back(refOf(id));
    return refs;
}

inline std::vector<const Run*> pointersTo(const std::vector<Run>& runs) {
    std::vector<const Run*> pointers;
    for (const Run& run : runs) pointers.push_back(&run);
    return pointers;
}

}  // namespace heddle::ui::test
