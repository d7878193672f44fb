// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/use_bar.h"

#include "ui/text/units.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

#include <algorithm>

namespace heddle::ui {
namespace {

struct KindLook {
    QString words;
    QColor color;
};

KindLook lookOf(const std::string& kind) {
    if (kind == "maps") return {UseBar::tr("Attention maps"), Theme::color(SlotColour::Attention)};
    if (kind == "histograms") return {UseBar::tr("Histograms"), Theme::color(SlotColour::Adjuster)};
    if (kind == "series") return {UseBar::tr("Series and pyramids"), Theme::color(SlotColour::Residual)};
    if (kind == "samples") return {UseBar::tr("Samples, evaluations"), Theme::color(SlotColour::Score)};
    if (kind == "events") return {UseBar::tr("Events, log"), Theme::color(SlotColour::Head)};
    if (kind == "free") return {UseBar::tr("Free pages"), Theme::color(Token::Line)};
    return {UseBar::tr("Runs, checkpoints, views"), Theme::color(SlotColour::Norm)};
}

}  // namespace

UseBar::UseBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void UseBar::setUse(const std::vector<storage::DatabaseReport::Use>& use) {
    use_ = use;
    std::erase_if(use_, [](const auto& kind) { return kind.bytes == 0; });
    QStringList spoken;
    //: A kind of record and its size on disk: "Attention maps 320 KiB".
    for (const auto& kind : use_) spoken << tr("%1 %2").arg(lookOf(kind.kind).words, byteSize(kind.bytes));
    setAccessibleName(tr("Disk use: %1").arg(spoken.join(QStringLiteral(", "))));
    updateGeometry();
    update();
}

QSize UseBar::sizeHint() const { return {px(200), use_.empty() ? 0 : px(24) + int(use_.size()) * px(20)}; }

void UseBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    double total = 0;
    for (const auto& kind : use_) total += double(kind.bytes);
    if (total <= 0) return;
    double x = 0;
    int y = px(24);
    const QFont words = typeFont(Type::Body), digits = numberFont(Type::Body);
    for (const auto& kind : use_) {
        const KindLook shown = lookOf(kind.kind);
        const double wide = width() * double(kind.bytes) / total;
        painter.fillRect(QRectF(x, px(2), std::max(1.0, wide - 1), px(15)), shown.color);
        x += wide;
        painter.fillRect(QRect(0, y + px(5), px(10), px(10)), shown.color);
        painter.setPen(Theme::color(Token::Text));
        painter.setFont(words);
        const QString size = byteSize(kind.bytes);
        const QRect line(px(16), y, width() - px(24) - textWidth(size, digits), px(20));
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                         painter.fontMetrics().elidedText(shown.words, Qt::ElideRight, line.width()));
        painter.setFont(digits);
        painter.drawText(QRect(0, y, width(), px(20)), Qt::AlignVCenter | Qt::AlignRight, size);
        y += px(20);
    }
}

}  // namespace heddle::ui
