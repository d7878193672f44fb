// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include "ui/theme/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <cmath>

namespace heddle::ui {
namespace {

QByteArray source(Icon id) {
    QFile file(QStringLiteral(":/icons/%1.svg").arg(QLatin1String(kIconNames[std::size_t(id)])));
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT(opened);  // the enum and the resource are generated from the same files
    return opened ? file.readAll() : QByteArray();
}

QPixmap rendered(Icon id, const QColor& color, QSize pixels) {
    const QString key =
        QStringLiteral("heddle/%1/%2/%3x%4").arg(int(id)).arg(color.rgba(), 0, 16).arg(pixels.width()).arg(pixels.height());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    QSvgRenderer svg(source(id).replace("#000", color.name().toLatin1()));
    pixmap = QPixmap(pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    const int side = std::min(pixels.width(), pixels.height());
    svg.render(&painter, QRectF((pixels.width() - side) / 2, (pixels.height() - side) / 2, side, side));
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

class IconEngine : public QIconEngine {
public:
    IconEngine(Icon id, const IconColours& colours) : id_(id), colours_(colours) {}

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return rendered(id_, colorIn(mode, state), size);
    }
    /// `size` is in device pixels here (see QTBUG-89279); the caller sets the ratio.
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal) override {
        return rendered(id_, colorIn(mode, state), size);
    }
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const qreal ratio = painter->device()->devicePixelRatioF();
        QPixmap picture = rendered(id_, colorIn(mode, state), rect.size() * ratio);
        picture.setDevicePixelRatio(ratio);
        painter->drawPixmap(rect, picture);
    }
    QSize actualSize(const QSize& size, QIcon::Mode, QIcon::State) override { return size; }
    QIconEngine* clone() const override { return new IconEngine(id_, colours_); }
    QString key() const override { return QStringLiteral("heddle"); }
    QString iconName() override { return QLatin1String(kIconNames[std::size_t(id_)]); }
    bool isNull() override { return false; }

private:
    QColor colorIn(QIcon::Mode mode, QIcon::State state) const {
        if (mode == QIcon::Disabled) return Theme::color(colours_.disabled);
        if (mode == QIcon::Selected) return Theme::color(colours_.selected);
        if (state == QIcon::On) return Theme::color(colours_.on);
        return Theme::color(mode == QIcon::Active ? colours_.hover : colours_.normal);
    }

    Icon id_;
    IconColours colours_;
};

}  // namespace

QIcon themeIcon(Icon id, const IconColours& colours) { return QIcon(new IconEngine(id, colours)); }
QIcon themeIcon(Icon id, Token token) { return themeIcon(id, IconColours{token, token, token, Token::Disabled, token}); }

QPixmap iconPixmap(Icon id, const QColor& color, int side, double devicePixelRatio) {
    const int pixels = int(std::lround(side * devicePixelRatio));
    QPixmap picture = rendered(id, color, {pixels, pixels});
    picture.setDevicePixelRatio(devicePixelRatio);
    return picture;
}

}  // namespace heddle::ui
