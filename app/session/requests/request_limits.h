// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/requests.h"

namespace heddle::app {

/// Throws Error(InvalidInput) when a text of the edit is longer than engine/base/text_limits.h allows: a name, a note, a tag,
/// the kind, key or body of an item.
void requireShortTexts(const Edit& edit);

}  // namespace heddle::app
