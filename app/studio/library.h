// SPDX-License-Identifier: GPL-3.0-or-later
// Creates the Library page and handles its requests.
#pragma once

#include "app/studio/pages.h"

namespace heddle::studio {

ui::Page* makeLibrary(ui::Studio& studio, const PageRequests& requests);

}  // namespace heddle::studio
