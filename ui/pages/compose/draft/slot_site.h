// SPDX-License-Identifier: GPL-3.0-or-later
// Texts for a slot of a model: its path, family, block and parameters.
#pragma once

#include "engine/spec/slot_site.h"
#include "ui/text/utf8.h"
#include "ui/theme/tokens.h"

#include <QString>

#include <string>

namespace heddle::ui {

using heddle::SlotSite;  // signals name it in full

/// "encoder.layers.*.self.residual", "… .2–5. …" or one layer's path.
QString displayPath(const SlotSite& site, const ResolvedVariant& variant);
/// True for a slot that has its standard block in most models: it is drawn only if it holds another block.
bool isSecondary(const std::string& slot);
/// Slots that share a colour and a row in the cost table.
struct SlotFamily {
    SlotColour colour;
    QString title;
};
SlotFamily familyOf(const std::string& slot);
/// A block's id for display: "EAU" if the id is the initials of the title; otherwise unchanged.
QString blockName(const BlockDescriptor& block);
/// "hidden 64, offsets 1, 2, gate": parameters that differ from their default.
QString parameterWords(const BlockDescriptor& block, const Json& params);
/// "1, 2": the elements of a list.
QString listWords(const Json& list);
/// "Self-attention" for "self"; unknown names are returned unchanged.
QString sublayerTitle(const std::string& sublayer);

}  // namespace heddle::ui
