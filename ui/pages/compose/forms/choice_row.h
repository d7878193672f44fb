// SPDX-License-Identifier: GPL-3.0-or-later
// One block that a slot may hold: a radio row with its name, what it does, its parameters and by how much they change the
// model.
#pragma once

#include <QAbstractButton>

namespace heddle::ui {

class ChoiceRow : public QAbstractButton {
    Q_OBJECT

public:
    struct Words {
        QString name, summary, count, change;
    };
    explicit ChoiceRow(QWidget* parent);
    void setWords(const Words& words);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    Words words_;
};

}  // namespace heddle::ui
