// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the studio, and what their requests lead to.
#pragma once

#include "ui/shell/page.h"

#include <functional>

namespace heddle::studio {

/// What pages ask for that is not in Studio.
struct PageRequests {
    std::function<void(const QString&file)> open, create;
};

/// In the order of the rail.
QList<ui::Page*> makePages(ui::Studio& studio, const PageRequests& requests);

}  // namespace heddle::studio
