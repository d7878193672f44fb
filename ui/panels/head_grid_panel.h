// SPDX-License-Identifier: GPL-3.0-or-later
// All heads of all layers of one run; a part of the model can be shown alone.
#pragma once

#include "ui/panels/panel.h"
#include "ui/plot/head_grid.h"

namespace heddle::ui {

class Segments;

class HeadGridPanel : public Panel {
    Q_OBJECT

public:
    explicit HeadGridPanel(QWidget* parent);

    HeadGrid& grid() { return *grid_; }
    /// The row and head that were chosen stay so where the new grid has their sublayer.
    void setData(std::shared_ptr<const HeadGridData> heads);
    /// Says in place of the grid why there is none.
    void setReason(const QString& title, const QString& text);
    /// Chooses a head of a sublayer; all parts are shown if need be.
    void choose(const QString& sublayer, int head);
    /// The chosen row; null: there is none.
    const HeadRow* row() const;

    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;

private:
    void show();
    void keepChoice();

    std::shared_ptr<const HeadGridData> all_ = std::make_shared<HeadGridData>();
    HeadGrid* grid_;
    Segments* parts_;
    ScaleBar* bar_;
    QString chosen_;  ///< sublayer
    int head_ = 0;    ///< chosen last
};

}  // namespace heddle::ui
