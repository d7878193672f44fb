// SPDX-License-Identifier: GPL-3.0-or-later
// The bar that chooses the snapshot of all cards: previous, play, next, scrubber, step, Follow.
#pragma once

#include "ui/data/run_detail.h"
#include "ui/plot/scrubber.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace heddle::ui {

class ScrubBar : public QWidget {
    Q_OBJECT

public:
    explicit ScrubBar(QWidget* parent);

    Scrubber& scrubber() { return *scrubber_; }
    int step() const { return scrubber_->value(); }
    /// Shows the steps of `snapshots`, the events of the run and its best step. Null: the run is not read.
    void setDetail(const RunDetail* detail, const std::vector<int>& snapshots);
    /// "epoch 50; 51 kept".
    void setNote(const QString& note);

    void goPrevious();
    void goNext();
    void goFirst();
    void follow();
    /// Plays to the newest snapshot, from the first if the newest is shown.
    void togglePlay();

Q_SIGNALS:
    void stepChanged(int step);

protected:
    void paintEvent(QPaintEvent* event) override;
    /// Stops playing where the page is left; a minimised window plays on.
    void hideEvent(QHideEvent* event) override;

private:
    QToolButton* button(const QString& name, const QString& tip);
    void connectAll();
    void playOn();
    void showState();

    Scrubber* scrubber_;
    QToolButton *previous_, *playButton_, *next_;
    QSpinBox* field_;
    QLabel* note_;
    QPushButton* follow_;
    QTimer play_;
};

}  // namespace heddle::ui
