// SPDX-License-Identifier: GPL-3.0-or-later
// Words and menus of the chips of a diagram that are no slot: "+" and "2 more".
#pragma once

#include "ui/pages/compose/diagram/diagram.h"

#include <functional>

class QMenu;
class QWidget;

namespace heddle::ui {

/// An offer in words: "add here: score, selector"; "2 more slots: mask: padding, combine: identity".
QString offerWords(const DiagramBox& box);

/// Makes the menu of an offer. It deletes itself when it is closed. "+" lists the blocks of each empty slot; "2 more" lists
/// slots. `chosen` gets the slot, and the block's id where one was chosen.
QMenu* makeOfferMenu(const DiagramBox& box, QWidget* parent,
                     const std::function<void(const SlotSite& site, const std::string& block)>& chosen);

}  // namespace heddle::ui
