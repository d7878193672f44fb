// SPDX-License-Identifier: GPL-3.0-or-later
// A slot of a model as people read it: its path, family, block and parameters.
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
/// True for a slot that most models leave at its standard block: it is drawn only where it holds something else.
bool isSecondary(const std::string& slot);
/// Slots that share a colour and a row in the cost table.
struct SlotFamily {
    SlotColour colour;
    QString title;
};
SlotFamily familyOf(const std::string& slot);
/// A block's id as people write it: "EAU" when the id is the initials of the title, else as it is.
QString blockName(const BlockDescriptor& block);
/// "hidden 64, offsets 1, 2, gate": parameters that differ from their default.
QString parameterWords(const BlockDescriptor& block, const Json& params);
/// "1, 2": the elements of a list.
QString listWords(const Json& list);
/// "Self-attention" for "self"; names without a word of their own stay as they are.
QString sublayerTitle(const std::string& sublayer);

}  // namespace heddle::ui
