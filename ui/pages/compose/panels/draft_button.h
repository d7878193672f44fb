// SPDX-License-Identifier: GPL-3.0-or-later
// The name of the draft and whether it is changed, with a menu to start, open and save drafts.
#pragma once

#include <QPushButton>

namespace heddle::ui {

class DraftButton : public QPushButton {
    Q_OBJECT

public:
    explicit DraftButton(QWidget* parent);
    void setWords(const QString& name, const QString& state);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString name_, state_;
};

}  // namespace heddle::ui
