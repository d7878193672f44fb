// SPDX-License-Identifier: Apache-2.0
#include "engine/base/cancellation.h"

#include "engine/base/error.h"

namespace heddle {

void throwStopped(const std::string& where) { throw Error(ErrorCode::Failure, "stopped", where, "nothing was changed"); }

}  // namespace heddle
