// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "storage/records.h"

namespace heddle::app {

/// Returns the facts that an attempt recorded ("device_name", "vocab_source", "jobs", …) as a JSON object. The object is empty
/// if the record is damaged.
inline Json contextOf(const storage::AttemptRecord& attempt) {
    Json context = Json::parse(attempt.context, nullptr, false);
    return context.is_object() ? context : Json::object();
}

}  // namespace heddle::app
