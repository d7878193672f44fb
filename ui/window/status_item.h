// SPDX-License-Identifier: GPL-3.0-or-later
// Entries of the status bar: icon, words, a progress bar; and chips. Live numbers change in place.
#pragma once

#include "ui/theme/tokens.h"

#include <QAbstractButton>

#include <optional>

namespace heddle::ui {

/// One entry. A click goes where the entry is about. Words are elided from the end; the tooltip has them whole.
class StatusItem : public QAbstractButton {
    Q_OBJECT

public:
    explicit StatusItem(QWidget* parent = nullptr);

    void setMark(Icon icon, Token color);
    /// `lead` is strong, `words` follow, then the bar, then `tail`.
    void setWords(const QString& lead, const QString& words, const QString& tail = {});
    /// 0 to 1, or nothing for no bar.
    void setProgress(std::optional<double> share);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void changed();

    std::optional<Icon> icon_;
    Token color_ = Token::Text2;
    QString lead_, words_, tail_;
    std::optional<double> progress_;
    mutable int widest_ = 0;  ///< the entry never shrinks by a digit
};

/// A small framed word: "Sample data", "E1", a tag.
class Chip : public QWidget {
    Q_OBJECT

public:
    explicit Chip(const QString& text, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString text_;
};

}  // namespace heddle::ui
