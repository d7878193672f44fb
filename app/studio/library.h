// SPDX-License-Identifier: GPL-3.0-or-later
// The Library page and what its requests lead to.
#pragma once

#include "app/studio/pages.h"

namespace heddle::studio {

ui::Page* makeLibrary(ui::Studio& studio, const PageRequests& requests);

}  // namespace heddle::studio
