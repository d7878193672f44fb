// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"

namespace heddle {

Error::Error(ErrorCode code, std::string what, std::string where, std::string next)
    : std::runtime_error(what + " (" + where + "): " + next),
      code_(code),
      problem_(std::move(what)),
      where_(std::move(where)),
      next_(std::move(next)) {}

void throwInvalid(std::string what, std::string where, std::string next) {
    throw Error(ErrorCode::InvalidInput, std::move(what), std::move(where), std::move(next));
}

void throwUsage(std::string what, std::string where, std::string next) {
    throw Error(ErrorCode::Usage, std::move(what), std::move(where), std::move(next));
}

}  // namespace heddle
