// SPDX-License-Identifier: GPL-3.0-or-later
// A slider over training: a tick for each snapshot, flags at events, a mark at the best step. The value is always the step of a
// snapshot. Left and Right go to the neighbour, Home to the first, End to the newest, which it then follows.
#pragma once

#include "ui/plot/curve.h"

#include <QAbstractSlider>

#include <vector>

namespace heddle::ui {

enum class Follow { Off, On };

class Scrubber : public QAbstractSlider {
    Q_OBJECT

public:
    explicit Scrubber(QWidget* parent = nullptr);

    /// Number of steps that the run will have: the axis does not move while it grows.
    void setSteps(int last);
    /// Ascending. While following, the value moves to the newest.
    void setSnapshots(std::vector<int> steps);
    const std::vector<int>& snapshots() const { return snapshots_; }
    void setEvents(const QList<CurveEvent>& events);
    void setBest(std::optional<int> step);
    Follow follow() const { return follow_; }
    void setFollow(Follow follow);
    /// The snapshot nearest to `step`; `step` itself when there are none.
    int nearestSnapshot(int step) const;
    /// Moves by a number of snapshots, negative: back, as the arrow keys do.
    void goBy(int snapshots);
    /// Moves to the snapshot nearest to `step`. Leaving the newest stops following; reaching it does not start it (only End and
    /// the button do).
    void goTo(int step);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void followChanged(heddle::ui::Follow follow);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    double xOf(double step) const;
    int stepAt(double x) const;
    void paintLabels(QPainter& painter) const;

    std::vector<int> snapshots_;
    QList<CurveEvent> events_;
    std::optional<int> best_;
    Follow follow_ = Follow::On;
};

}  // namespace heddle::ui
