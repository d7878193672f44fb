// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of the curves; its entries wrap.
#pragma once

#include "ui/plot/curve.h"

#include <QWidget>

#include <optional>

namespace heddle::ui {

class LegendRow : public QWidget {
    Q_OBJECT

public:
    explicit LegendRow(QWidget* parent = nullptr);

    /// Muted curves share one entry.
    void setCurves(const QList<Curve>& curves);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Entry {
        QString text;
        std::optional<int> order;  ///< none: all that are grey
    };
    template <class Each>
    int place(int width, const Each& each) const;
    QList<Entry> entries_;
};

}  // namespace heddle::ui
