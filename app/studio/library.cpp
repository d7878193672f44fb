// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/library.h"

#include "ui/pages/library/library_page.h"

namespace heddle::studio {

ui::Page* makeLibrary(ui::Studio& studio, const PageRequests& requests) {
    auto* library = new ui::LibraryPage(studio);
    QObject::connect(library, &ui::LibraryPage::openRequested, library, [requests](const QString& file, ui::OpenMode mode) {
        switch (mode) {
        case ui::OpenMode::Existing: return requests.open(file);
        case ui::OpenMode::Create: return requests.create(file);
        case ui::OpenMode::Beside: return requests.openBeside(file);
        }
    });
    return library;
}

}  // namespace heddle::studio
