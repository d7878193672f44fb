// SPDX-License-Identifier: GPL-3.0-or-later
// All heads of all layers of run A; a part of the model can be shown alone.
#pragma once

#include "ui/panels/inspected_pair.h"
#include "ui/panels/panel.h"
#include "ui/plot/head_grid.h"

namespace heddle::ui {

class Segments;

class HeadGridPanel : public Panel {
    Q_OBJECT

public:
    HeadGridPanel(InspectedPair& pair, QWidget* parent);

    HeadGrid& grid() { return *grid_; }
    /// Chooses a head of a sublayer; shows all parts if the shown part does not have it.
    void choose(const QString& sublayer, int head);
    /// The chosen row; null: there is none.
    const HeadRow* row() const;

private:
    void show();
    void showPart();
    void showReason(const QString& title, const QString& text);
    void keepChoice();
    InspectedPair::Head headAt(std::optional<HeadPlace> place) const;
    QString note() const;

    InspectedPair& pair_;
    std::shared_ptr<const HeadGridData> all_;  ///< null while a reason is shown
    HeadGrid* grid_;
    Segments* parts_;
    ScaleBar* bar_;
    QString chosen_;  ///< sublayer; it and the head stay chosen if the next grid has them
    int head_ = 0;
    std::optional<HeadPlace> hovered_;
};

}  // namespace heddle::ui
