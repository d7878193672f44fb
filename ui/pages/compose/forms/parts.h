// SPDX-License-Identifier: GPL-3.0-or-later
// Small parts that several panels of the page are made of.
#pragma once

#include "ui/widgets/small_parts.h"

#include <QLabel>
#include <QTreeView>

namespace heddle::ui {

/// "Parameters by slot          of 4,061,869": a 26 px line with a title and words at its right.
class SectionTitle : public QWidget {
    Q_OBJECT

public:
    SectionTitle(const QString& title, QWidget* parent);
    void setTitle(const QString& title);
    void setWords(const QString& words);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel *title_, *words_;
};

/// A tree without frame, in the manner of the side panels.
QTreeView* makeTree(const QString& accessibleName, QWidget* parent);

/// A formula of a descriptor as rich text: W_g and d^½ become lowered and raised.
QString formulaMarkup(const QString& formula);
/// The same in one plain line.
QString formulaLine(QString formula);

/// "4.76 M": four digits at most, with the letter of its size.
QString scaled(double value);
/// "+363,648", or "0".
QString signedCount(qint64 value);
/// "+9.83 %".
QString percent(double share);

}  // namespace heddle::ui
