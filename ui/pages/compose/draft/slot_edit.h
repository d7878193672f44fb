// SPDX-License-Identifier: GPL-3.0-or-later
// How an edit of a slot is written into a document.
#pragma once

#include "ui/pages/compose/draft/slot_site.h"

namespace heddle::ui {

/// A new value of one member of a slot; without a key, of the whole slot.
struct SlotEdit {
    SlotSite site;
    std::string key;
    Json value;
};

/// Writes an edit into a run document. `layerCount`: of the site's stack. An edit of all layers stands at the stack's sublayer
/// and takes back what single layers say. Throws Error where the document cannot take it.
void writeSlot(Json& document, const SlotEdit& edit, int layerCount);

}  // namespace heddle::ui
