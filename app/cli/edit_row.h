// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"
#include "engine/run/requests.h"

namespace heddle::app {

/// Carries out an edit, or asks the owner of the database to. False if a newer change superseded it, which is said on stderr.
bool editRow(const Context& context, const Edit& change);

}  // namespace heddle::app
