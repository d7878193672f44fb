// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/legend_row.h"

#include "ui/plot/marker.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

namespace heddle::ui {

LegendRow::LegendRow(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void LegendRow::setCurves(const QList<Curve>& curves) {
    entries_.clear();
    QStringList spoken;
    int muted = 0;
    for (const auto& curve : curves) {
        if (!curve.inLegend) continue;
        spoken << curve.label;
        if (curve.weight == LineWeight::Muted)
            ++muted;
        else
            entries_ << Entry{curve.label, curve.order};
    }
    if (muted > 0) entries_ << Entry{tr("%n more in grey", nullptr, muted), std::nullopt};
    setAccessibleName(tr("Legend: %1").arg(spoken.join(QStringLiteral(", "))));
    setToolTip(spoken.join(QLatin1Char('\n')));
    updateGeometry();
    update();
}

/// Calls `each` with every entry's rectangle; returns the height.
template <class Each>
int LegendRow::place(int width, const Each& each) const {
    const QFontMetrics metrics(typeFont(Type::Caption));
    int x = px(8), y = 0;
    const int line = px(18);
    for (const auto& entry : entries_) {
        const int needed = std::min(px(28) + metrics.horizontalAdvance(entry.text) + px(16), std::max(px(60), width - px(16)));
        if (x > px(8) && x + needed > width) {
            x = px(8);
            y += line;
        }
        each(entry, QRect(x, y, needed, line));
        x += needed;
    }
    return entries_.isEmpty() ? 0 : y + line;
}

int LegendRow::heightForWidth(int width) const {
    return place(width, [](const Entry&, const QRect&) {});
}

QSize LegendRow::sizeHint() const { return {px(200), heightForWidth(std::max(width(), px(200)))}; }

void LegendRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFont font = typeFont(Type::Caption);
    painter.setFont(font);
    place(width(), [&](const Entry& entry, const QRect& rect) {
        const RunStyle style = entry.order ? Theme::runAt(*entry.order) : RunStyle{Theme::color(Token::Text2), {}, {}};
        paintLineSample(painter, QRectF(rect.left(), rect.top() + px(2), px(24), rect.height() - px(4)), style,
                        entry.order ? SampleMarker::Middle : SampleMarker::None);
        painter.setPen(Theme::color(Token::Text));
        const QRect text = rect.adjusted(px(29), 0, -px(6), 0);
        painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
                         QFontMetrics(font).elidedText(entry.text, Qt::ElideRight, text.width()));
    });
}

}  // namespace heddle::ui
