// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/kit/sheets.h"

#include "ui/plot/map_scale.h"
#include "ui/plot/marker.h"
#include "ui/text/states.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>

#include <cmath>

namespace heddle::ui::test {
namespace {

class ColourSheet : public QWidget {
public:
    ColourSheet() { setFixedSize(760, 760); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), Theme::color(Token::Panel));
        runs(painter, QRect(12, 28, 420, 188));
        states(painter, QRect(446, 28, 300, 188));
        maps(painter, 240);
        icons(painter, 420);
    }

private:
    void heading(QPainter& painter, int x, int y, const char* words) {
        painter.setFont(strongFont(Type::Caption));
        painter.setPen(Theme::color(Token::Text2));
        painter.drawText(x, y, QString::fromUtf8(words));
    }

    void frame(QPainter& painter, QRect box) {
        painter.setPen(Theme::color(Token::Line));
        painter.setBrush(Theme::color(Token::Base));
        painter.drawRect(box);
    }

    void runs(QPainter& painter, QRect box) {
        heading(painter, box.left(), box.top() - 6, "Run colours: colour, dash, marker");
        frame(painter, box);
        for (int i = 0; i < int(kRunColourNames.size()); ++i) {
            const RunStyle& style = Theme::run(RunColour(i));
            const int y = box.top() + 14 + i * 20;
            painter.setFont(typeFont(Type::Body));
            painter.setPen(Theme::color(Token::Text));
            painter.drawText(QRect(box.left() + 8, y - 10, 90, 20), Qt::AlignVCenter,
                             QLatin1String(kRunColourNames[std::size_t(i)]));
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(linePen(style.color, i == 0 ? 2.4 : 1.8, style.dash));
            painter.setBrush(Qt::NoBrush);
            QPolygonF wave;
            for (int x = 0; x <= 200; ++x) wave << QPointF(box.left() + 100 + x, y + 3 * std::sin(x / 16.0 + i));
            painter.drawPolyline(wave);
            paintMarker(painter, wave.last() + QPointF(9, 0), style, 9);
            painter.setRenderHint(QPainter::Antialiasing, false);
            painter.setFont(numberFont(Type::Caption));
            painter.setPen(Theme::color(Token::Text2));
            painter.drawText(QRect(box.left() + 326, y - 10, 90, 20), Qt::AlignVCenter, style.color.name().toUpper());
        }
    }

    void states(QPainter& painter, QRect box) {
        heading(painter, box.left(), box.top() - 6, "States, on base and on selection");
        frame(painter, box);
        const QRect half(box.left() + box.width() / 2, box.top() + 1, box.width() / 2, box.height() - 1);
        painter.fillRect(half, Theme::color(Token::Sel));
        for (int i = 0; i <= int(Mark::NotComparable); ++i) {
            const MarkLook shown = lookOf(Mark(i));
            const int y = box.top() + 5 + (i % 14) * 13;
            for (const int x : {box.left() + 8, half.left() + 8}) {
                painter.drawPixmap(
                    x, y - 1, iconPixmap(shown.icon, Theme::color(shown.color), 14, painter.device()->devicePixelRatioF()));
                painter.setFont(typeFont(Type::Caption));
                painter.setPen(Theme::color(shown.color));
                painter.drawText(QRect(x + 20, y - 3, 110, 18), Qt::AlignVCenter, shown.word);
            }
        }
    }

    void maps(QPainter& painter, int y) {
        heading(painter, 12, y, "Maps");
        for (std::size_t i = 0; i < kMapNames.size(); ++i) {
            const int column = int(i) % 3, row = int(i) / 3, x = 12 + column * 246, top = y + 12 + row * 52;
            painter.setFont(typeFont(Type::Caption));
            painter.setPen(Theme::color(Token::Text2));
            painter.drawText(x, top + 10, QLatin1String(kMapNames[i]));
            for (int p = 0; p < 230; ++p) painter.fillRect(x + p, top + 16, 1, 12, Theme::mapColor(MapId(i), p / 229.0));
            for (int p = 0; p < 9; ++p) painter.fillRect(x + p * 230 / 9, top + 30, 26, 12, Theme::mapColor(MapId(i), p / 8.0));
            painter.setPen(Theme::color(Token::Plotaxis));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(x, top + 16, 230, 12);
        }
    }

    void icons(QPainter& painter, int y) {
        heading(painter, 12, y, "Icons, 16 px (rail: 20 px)");
        const qreal ratio = painter.device()->devicePixelRatioF();
        for (std::size_t i = 0; i < kIconNames.size(); ++i) {
            const int x = 12 + int(i % 13) * 56, top = y + 12 + int(i / 13) * 50;
            painter.drawPixmap(x + 20, top, iconPixmap(Icon(i), Theme::color(Token::Text), 16, ratio));
            QFont small = typeFont(Type::Caption);
            small.setPixelSize(9);
            painter.setFont(small);
            painter.setPen(Theme::color(Token::Text2));
            painter.drawText(QRect(x - 2, top + 18, 60, 14), Qt::AlignHCenter, QLatin1String(kIconNames[i]));
        }
        const Icon pages[] = {Icon::Compose, Icon::Watch, Icon::Inspect, Icon::Compare, Icon::Library};
        for (int i = 0; i < 5; ++i)
            painter.drawPixmap(12 + i * 36, 724,
                               iconPixmap(pages[i], Theme::color(i == 1 ? Token::Accent : Token::Text2), 20, ratio));
    }
};

}  // namespace

std::unique_ptr<QWidget> colourSheet() { return std::make_unique<ColourSheet>(); }

}  // namespace heddle::ui::test
