// SPDX-License-Identifier: GPL-3.0-or-later
// Moves, copies and pastes whole layers and sublayers, and carries scores between layers. Owns these actions.
#pragma once

#include "ui/data/studio.h"
#include "ui/pages/compose/diagram/diagram_view.h"
#include "ui/pages/compose/draft/layer_clipboard.h"
#include "ui/pages/compose/draft/variant_draft.h"

class QAction;

namespace heddle::ui {

class LayerActions : public QObject {
    Q_OBJECT

public:
    /// The keys of copy and paste work only in the view: text fields have their own.
    LayerActions(VariantDraft& draft, DiagramView& view, Studio& studio, MessageStrip& strip);

    QAction *const copy, *const paste, *const pasteOnto, *const carryFrom, *const earlier, *const later;

private:
    struct Pasted {
        LayerChoice to;
        Json before, next;
        QStringList staying;
    };
    /// The site of the slot that is selected, if it is one of layers.
    const SlotSite* site() const;
    void refresh();
    /// The selected slot's sublayer, in every layer of its stack.
    void moveSublayer(int by);
    void copyLayer() const;
    void pasteLayer(const LayerChoice& to);
    void pasteOntoNamed();
    void take(const Pasted& pasted);
    void reportNotPasted(const Problem& problem);
    /// The score slot of the selected attention if it is one of a single layer that has earlier layers.
    std::optional<SlotSite> carrySite() const;
    /// The earlier layers that the selected attention can take scores from, as a menu.
    void showCarryMenu();
    void showMenu(const QPoint& place);

    VariantDraft& draft_;
    DiagramView& view_;
    Studio& studio_;
    MessageStrip& strip_;
    Query<Pasted> pasting_{this, [this](Result<Pasted> pasted) {
                               if (!pasted) return reportNotPasted(pasted.problem());
                               take(*pasted);
                           }};
};

}  // namespace heddle::ui
