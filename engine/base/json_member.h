// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"
#include "engine/base/json.h"

#include <string>

namespace heddle {

/// Returns a member of an object, or `otherwise` if the object does not have it. Throws Error(InvalidInput) that says `whose`
/// ("the row") member is of another type, `where` that stands, and what to do `next`.
template <class T>
T memberOr(const Json& object, const char* key, T otherwise, const std::string& whose, const std::string& where,
           const std::string& next) {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    try {
        return found->get<T>();
    } catch (const Json::exception&) {
        throwInvalid(whose + " has no usable \"" + key + "\"", where, next);
    }
}

}  // namespace heddle
