// SPDX-License-Identifier: GPL-3.0-or-later
// Creates the pages of the studio and handles their requests.
#pragma once

#include "ui/data/inspector.h"
#include "ui/pages/page.h"

#include <functional>

namespace heddle::studio {

/// Requests of pages that Studio does not handle.
struct PageRequests {
    std::function<void(const QString&file)> open, create, openBeside;
    ui::Inspector::Opener openModel;
};

/// The pages, in the order of the rail.
QList<ui::Page*> makePages(ui::Studio& studio, const PageRequests& requests);

}  // namespace heddle::studio
