// SPDX-License-Identifier: GPL-3.0-or-later
// The logit lens: what the head of the model says of the state after each layer, at the step and over the checkpoints of run A.
#pragma once

#include "ui/panels/on_demand.h"
#include "ui/panels/token_bars_panel.h"
#include "ui/plot/map_view.h"

class QComboBox;

namespace heddle::ui {

class LensPanel : public TokenBarsPanel {
    Q_OBJECT

public:
    LensPanel(InspectedPair& pair, QWidget* parent);

    /// Layers by checkpoints; hidden while fewer than two checkpoints have been measured.
    const MapView& map() const { return *map_; }

private:
    LensPanel(InspectedPair& pair, QWidget* parent, MapView* map);
    void show() override;
    void showMap(const LensReport& now);

    OnDemand<LensReport> measured_;
    MapView* map_;
    ScaleBar* scale_;
    QComboBox* quantity_;
    QPushButton* all_;
};

}  // namespace heddle::ui
