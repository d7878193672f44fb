// SPDX-License-Identifier: GPL-3.0-or-later
// Entries of the status bar: icon, text and progress bar; and chips.
#pragma once

#include "ui/theme/tokens.h"

#include <QAbstractButton>

#include <optional>

namespace heddle::ui {

/// One entry. Its text is elided at the end; the tool tip shows all of it.
class StatusItem : public QAbstractButton {
    Q_OBJECT

public:
    /// `name` is the object name.
    StatusItem(const char* name, QWidget* parent);

    void setMark(Icon icon, Token color);
    /// The order is `lead` (bold), `words`, the progress bar, `tail`.
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
    mutable int widest_ = 0;  ///< so that changing numbers do not change the width
};

/// A small framed text: "Sample data", "E1", a tag.
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
