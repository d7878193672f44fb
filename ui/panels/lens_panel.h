// SPDX-License-Identifier: GPL-3.0-or-later
// The logit lens: what the head of the model says of the state after each layer.
#pragma once

#include "ui/panels/on_demand.h"
#include "ui/panels/token_bars_panel.h"

class QComboBox;

namespace heddle::ui {

class LensPanel : public TokenBarsPanel {
    Q_OBJECT

public:
    LensPanel(InspectedPair& pair, QWidget* parent);

private:
    void show() override;

    OnDemand<LensReport> measured_;
    QComboBox* quantity_;
};

}  // namespace heddle::ui
