// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/pages.h"

#include "app/studio/library.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compose/compose_page.h"
#include "ui/pages/inspect/inspect_page.h"
#include "ui/pages/watch/watch_page.h"

namespace heddle::studio {

QList<ui::Page*> makePages(ui::Studio& studio, const PageRequests& requests) {
    return {new ui::ComposePage(studio), new ui::WatchPage(studio), new ui::InspectPage(studio, requests.openModel),
            new ui::ComparePage(studio), makeLibrary(studio, requests)};
}

}  // namespace heddle::studio
