// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/forms/parts.h"

#include "ui/text/number.h"

#include <QRegularExpression>

#include <cmath>

namespace heddle::ui {

QTreeView* makeTree(const char* name, const QString& accessibleName, QWidget* parent) {
    auto* tree = new QTreeView(parent);
    tree->setObjectName(QLatin1String(name));
    tree->setFrameShape(QFrame::NoFrame);
    tree->setAccessibleName(accessibleName);
    tree->setUniformRowHeights(true);
    tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    tree->setAllColumnsShowFocus(true);
    return tree;
}

QString formulaMarkup(const QString& formula) {
    static const QRegularExpression low(QStringLiteral("_(\\w+)")), high(QStringLiteral("\\^(\\([^)]*\\)|\\S)"));
    QString markup = formula.toHtmlEscaped();
    markup.replace(low, QStringLiteral("<sub>\\1</sub>"));
    return markup.replace(high, QStringLiteral("<sup>\\1</sup>"));
}

QString formulaLine(QString formula) { return formula.remove(QLatin1Char('_')); }

QString scaled(double value) {
    static const QString letters = QStringLiteral(" kMGT");
    int size = 0;
    while (std::abs(value) >= 1000 && size + 1 < letters.size()) {
        value /= 1000;
        ++size;
    }
    const QString digits = number(value, size == 0 || std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2);
    return size == 0 ? digits : digits + QChar(0x00A0) + letters[size];
}

QString signedCount(qint64 value) { return value == 0 ? QStringLiteral("0") : signedNumber(double(value), 0); }

QString percent(double share) { return signedNumber(100 * share, 2) + QStringLiteral(" %"); }

}  // namespace heddle::ui
