// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/forms/parts.h"

#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QRegularExpression>

#include <cmath>

namespace heddle::ui {

SectionTitle::SectionTitle(const QString& title, QWidget* parent)
    : QWidget(parent), title_(new QLabel(title, this)), words_(makeCaption({}, this)) {
    title_->setFont(strongFont(Type::Body));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(10), 0, px(10), 0);
    row->addWidget(title_);
    row->addStretch();
    row->addWidget(words_);
    setFixedHeight(px(26));
}

void SectionTitle::setTitle(const QString& title) { title_->setText(title); }
void SectionTitle::setWords(const QString& words) { words_->setText(words); }

void SectionTitle::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Chrome));
    painter.fillRect(QRect(0, 0, width(), 1), Theme::color(Token::Line));
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::color(Token::Line));
}

QTreeView* makeTree(const QString& accessibleName, QWidget* parent) {
    auto* tree = new QTreeView(parent);
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
