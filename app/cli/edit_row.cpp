// SPDX-License-Identifier: Apache-2.0
#include "app/cli/edit_row.h"

#include "app/session/requests/ask_owner.h"
#include "engine/base/printable.h"

#include <ostream>
#include <string>

namespace heddle::app {

bool editRow(const Context& context, const Edit& change) {
    const std::string superseded = edit(context.database, change);
    if (!superseded.empty()) context.err << printable(runOf(change) + ": " + superseded) << "\n";
    return superseded.empty();
}

}  // namespace heddle::app
