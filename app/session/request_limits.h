// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/records.h"
#include "storage/run_store.h"

namespace heddle::app {

/// Throws Error(InvalidInput) when a text of the request is longer than engine/spec/text_limits.h allows: the name of rename,
/// the text of note, every tag, kind and key of an item.
void requireShortTexts(const storage::InboxRequest& request);

}  // namespace heddle::app
