// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram_scene.h"

#include "ui/pages/compose/diagram/diagram_words.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/picture.h"

#include <QCursor>
#include <QGraphicsRectItem>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionGraphicsItem>

#include <string_view>
#include <tuple>
#include <utility>

namespace heddle::ui {
namespace {

using Kind = DiagramBox::Kind;

constexpr double kVectorZoom = 4;  // of icons, which are rasters also in vector files

void words(QPainter& painter, const QRectF& rect, const QString& text, Qt::Alignment align = Qt::AlignLeft) {
    if (rect.width() <= 0) return;
    painter.drawText(rect, int(align | Qt::AlignVCenter) | Qt::TextSingleLine,
                     QFontMetricsF(painter.font()).elidedText(text, Qt::ElideRight, rect.width()));
}

/// Struck-through text and an arrow; returns the rest of the line.
QRectF struckWords(QPainter& painter, QRectF line, const QString& text) {
    const QColor color = painter.pen().color();
    const QFont font = painter.font();
    QFont struck = font;
    struck.setStrikeOut(true);
    painter.setFont(struck);
    painter.setPen(Theme::color(Token::Text2));
    words(painter, line, text);
    painter.setFont(font);
    line.setLeft(line.left() + painter.fontMetrics().horizontalAdvance(text));
    words(painter, line, DiagramWords::arrow());
    line.setLeft(line.left() + painter.fontMetrics().horizontalAdvance(DiagramWords::arrow()));
    painter.setPen(color);
    return line;
}

void icon(QPainter& painter, Icon id, const QColor& color, const QRectF& rect) {
    const bool isRaster = painter.paintEngine()->type() == QPaintEngine::Raster;
    const double zoom = isRaster ? painter.worldTransform().m11() * painter.device()->devicePixelRatioF() : kVectorZoom;
    painter.drawPixmap(rect, iconPixmap(id, color, int(rect.width()), zoom), QRectF());
}

void arrow(QPainter& painter, const QPolygonF& line) {
    const QLineF last(line[line.size() - 2], line.last());
    if (last.length() < 1) return;
    const QPointF along = QPointF(last.dx(), last.dy()) / last.length(), across(-along.y(), along.x());
    const QPointF tip = last.p2(), back = tip - along * px(5);
    painter.drawPolyline(QPolygonF{back + across * px(3), tip, back - across * px(3)});
}

void wire(QPainter& painter, const DiagramWire& wire) {
    QPen pen(wire.colour ? Theme::color(*wire.colour) : Theme::color(Token::Text2), 1.2);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(wire.change == DiagramChange::Missing ? QPen(pen.brush(), pen.widthF(), Qt::DashLine) : pen);
    painter.drawPolyline(wire.points);
    painter.setPen(pen);
    if (wire.end == DiagramWire::End::Arrow) arrow(painter, wire.points);
}

void frame(QPainter& painter, const DiagramFrame& frame) {
    const QRectF edge = frame.rect.adjusted(0.5, 0.5, -0.5, -0.5);
    const bool isMissing = frame.change == DiagramChange::Missing;
    painter.setPen(QPen(Theme::color(Token::Border), 1, isMissing ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(Theme::color(isMissing ? Token::Base : Token::Alt));
    painter.drawRoundedRect(edge, 2, 2);
    const QRectF header(edge.left(), edge.top(), edge.width(), px(24));
    painter.setPen(Theme::color(Token::Line));
    painter.drawLine(header.bottomLeft() + QPointF(1, 0), header.bottomRight() - QPointF(1, 0));
    const QRectF fold(header.left() + px(6), header.top() + px(6), px(12), px(12));
    icon(painter, frame.folded ? Icon::ChevronRight : Icon::ChevronDown, Theme::color(Token::Text2), fold);
    painter.setPen(Theme::color(isMissing ? Token::Text2 : Token::Text));
    QFont font = strongFont(Type::Body);
    font.setStrikeOut(isMissing);
    painter.setFont(font);
    words(painter, header.adjusted(px(24), 0, -px(110), 0), frame.title);
    painter.setPen(Theme::color(Token::Text2));
    painter.setFont(numberFont(Type::Caption));
    words(painter, header.adjusted(px(150), 0, -px(10), 0), frame.figure, Qt::AlignRight);
}

void problemMark(QPainter& painter, const DiagramBox& box) {
    const double side = px(15);
    const QRectF disc(box.rect.right() - side * 0.6, box.rect.top() - side * 0.4, side, side);
    painter.setPen(QPen(Theme::color(Token::Bad), 1.2));
    painter.setBrush(Theme::color(Token::StripBad));
    painter.drawEllipse(disc);
    painter.setFont(strongFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text));
    painter.drawText(disc, Qt::AlignCenter, QString::number(box.problem));
}

void ground(QPainter& painter, const DiagramBox& box) {
    const QRectF edge = box.rect.adjusted(0.5, 0.5, -0.5, -0.5);
    const QColor slot = Theme::color(box.colour);
    const bool isMissing = box.change == DiagramChange::Missing, ghost = box.kind == Kind::Empty || isMissing;
    const bool isTinted = box.differs && box.kind != Kind::Mixer && !isMissing;
    painter.setBrush(isTinted ? Theme::tint(box.colour)
                              : Theme::color(ghost                    ? Token::Alt
                                             : box.kind == Kind::Chip ? Token::Panel
                                                                      : Token::Base));
    QPen pen(box.differs ? slot : Theme::color(box.kind == Kind::Chip ? Token::Line : Token::Border));
    if (ghost) pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.drawRoundedRect(edge, 2, 2);
    if (box.kind != Kind::Chip && !ghost)
        painter.fillRect(QRectF(box.rect.left(), box.rect.top(), px(4), box.rect.height()), slot);
}

void box(QPainter& painter, const DiagramBox& box) {
    ground(painter, box);
    const bool tall = box.kind == Kind::Mixer;
    QRectF line = box.rect.adjusted(px(12), 0, -px(10), 0);
    if (tall) line.setHeight(px(25));
    if (box.kind == Kind::Chip) line = box.rect.adjusted(px(6), 0, -px(4), 0);
    if (box.change == DiagramChange::New || box.change == DiagramChange::Moved) {
        const QString mark = box.change == DiagramChange::New ? DiagramWords::newMark() : DiagramWords::movedMark();
        painter.setFont(typeFont(Type::Caption));
        painter.setPen(Theme::color(Token::Text));
        words(painter, line, mark, Qt::AlignRight);
        line.setRight(line.right() - painter.fontMetrics().horizontalAdvance(mark) - px(8));
    } else if (box.differs && !tall && box.change != DiagramChange::Missing) {
        const double side = px(box.kind == Kind::Block ? 15 : 12);
        icon(painter, Icon::NotEqual, Theme::color(box.colour),
             QRectF(line.right() - side + px(2), line.center().y() - side / 2, side, side));
        line.setRight(line.right() - side - px(2));
    }
    if (box.offer == DiagramBox::Offer::More) {
        const double side = px(12);
        icon(painter, Icon::ChevronDown, Theme::color(Token::Text2),
             QRectF(line.right() - side + px(1), line.center().y() - side / 2, side, side));
        line.setRight(line.right() - side);
    }
    const bool main = tall || box.kind == Kind::Block;
    painter.setFont(numberFont(main ? Type::Body : Type::Caption));
    painter.setPen(Theme::color(main ? Token::Text : Token::Text2));
    if (!box.figure.isEmpty()) {
        words(painter, line, box.figure, Qt::AlignRight);
        line.setRight(line.right() - painter.fontMetrics().horizontalAdvance(box.figure) - px(8));
    }
    painter.setFont(main ? strongFont(Type::Body) : typeFont(Type::Caption));
    painter.setPen(Theme::color(main || box.kind == Kind::Chip ? Token::Text : Token::Text2));
    if (!box.before.isEmpty() && !box.isSameBlock) line = struckWords(painter, line, box.before);
    if (box.change == DiagramChange::Missing) {
        QFont struck = painter.font();
        struck.setStrikeOut(true);
        painter.setFont(struck);
    }
    words(painter, line, box.title);
    if (box.detail.isEmpty()) return;
    line.setLeft(line.left() + painter.fontMetrics().horizontalAdvance(box.title) + px(12));
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text2));
    if (!box.before.isEmpty() && box.isSameBlock) line = struckWords(painter, line, box.before);
    words(painter, line, box.detail);
}

void caption(QPainter& painter, const DiagramText& text) {
    QRectF rect = text.rect;
    painter.setPen(Theme::color(text.look == DiagramText::Look::Strong ? Token::Text : Token::Text2));
    QFont font = text.look == DiagramText::Look::Strong ? strongFont(Type::Body) : typeFont(Type::Caption);
    font.setItalic(text.look == DiagramText::Look::Variable);
    painter.setFont(font);
    if (text.swatch) {
        painter.fillRect(QRectF(rect.left(), rect.top() + px(2), px(4), rect.height() - px(4)), Theme::color(*text.swatch));
        rect.setLeft(rect.left() + px(8));
    }
    if (text.isMark) {
        icon(painter, Icon::NotEqual, Theme::color(Token::Text), QRectF(rect.left(), rect.top() + px(1), px(14), px(14)));
        rect.setLeft(rect.left() + px(18));
    }
    if (text.struck > 0) {
        QFont struck = font;
        struck.setStrikeOut(true);
        painter.setFont(struck);
        const QString first = text.text.left(text.struck);
        words(painter, rect, first);
        rect.setLeft(rect.left() + painter.fontMetrics().horizontalAdvance(first));
        painter.setFont(font);
    }
    words(painter, rect, text.text.mid(text.struck), text.align);
}

double aroundBox() { return px(10); }

}  // namespace

DiagramPart::DiagramPart(const DiagramFrame* frame, const DiagramBox* box, QString accessibleText)
    : frame_(frame), box_(box), accessibleText_(std::move(accessibleText)) {
    if (frame) {
        setFlag(ItemHasNoContents);  // drawn by the scene, since its wires are between it and its boxes
        setZValue(-1);
        return;
    }
    setFlag(ItemIsSelectable, box->site.has_value());
    setToolTip(accessibleText_);
}

QRectF DiagramPart::boundingRect() const { return rect().adjusted(-aroundBox(), -aroundBox(), aroundBox(), aroundBox()); }

QPainterPath DiagramPart::shape() const {
    QPainterPath path;
    path.addRect(rect());
    return path;
}

void DiagramPart::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) {
    if (!box_) return;
    ui::box(*painter, *box_);
    if (box_->problem > 0 && box_->site) problemMark(*painter, *box_);
    if (!(option->state & QStyle::State_Selected)) return;
    painter->setPen(QPen(Theme::color(Token::Accent), 2));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(rect().adjusted(-2, -2, 2, 2), 3, 3);
}

DiagramScene::DiagramScene(QObject* parent) : QGraphicsScene(parent) { setItemIndexMethod(NoIndex); }

void DiagramScene::setDiagram(Diagram diagram) {
    clear();
    parts_.clear();
    dropLine_.reset();
    diagram_ = std::move(diagram);
    setSceneRect(diagram_.bounds);
    std::set<int> drawn;
    std::set<std::tuple<std::string_view, std::string_view, std::string_view, int>> sites;
    const auto add = [this](const DiagramFrame* frame, const DiagramBox* box, const QString& words) {
        auto* part = new DiagramPart(frame, box, words);
        addItem(part);
        return part;
    };
    for (const DiagramBox& box : diagram_.boxes) {
        if (box.frame >= 0 && drawn.insert(box.frame).second) {
            const DiagramFrame& frame = diagram_.frame(box.frame);
            parts_ << add(&frame, nullptr, accessibleText(frame, diagram_.over));
        }
        auto* part = add(nullptr, &box, box.site ? accessibleText(box, diagram_.over) : QString());
        // A mixer with one chip has the chip's slot, too; only the first box is listed, as in boxOf().
        if (const auto& site = box.site; site && sites.emplace(site->stack, site->sublayer, site->slot, site->first).second)
            parts_ << part;
    }
    const auto addArea = [this](Dragged what, std::size_t index, const QRectF& rect) {
        auto* area = addRect(rect, Qt::NoPen);
        area->setData(what, int(index));
        area->setZValue(1);
        return area;
    };
    for (std::size_t i = 0; i < diagram_.sublayers.size(); ++i) {
        const QRectF& rect = diagram_.sublayers[i].rect;
        addArea(Sublayer, i, QRectF(rect.left() - px(3), rect.top(), px(11), rect.height()))->setCursor(Qt::OpenHandCursor);
    }
    for (std::size_t i = 0; i < diagram_.attentions.size(); ++i) addArea(Attention, i, diagram_.attentions[i].rect);
    update();
}

DiagramPart* DiagramScene::partOf(const SlotSite& site) const {
    const int box = diagram_.boxOf(site);
    for (DiagramPart* part : parts_)
        if (box >= 0 && part->box() == &diagram_.box(box)) return part;
    return nullptr;
}

void DiagramScene::setDropLine(const std::optional<QLineF>& line) {
    if (std::exchange(dropLine_, line) != line) update();
}

void DiagramScene::drawBackground(QPainter* painter, const QRectF& exposed) {
    painter->fillRect(exposed, Theme::color(Token::Base));
    const QRectF seen = exposed.adjusted(-px(10), -px(10), px(10), px(10));
    for (const auto& each : diagram_.frames)
        if (seen.intersects(each.rect)) frame(*painter, each);
    for (const auto& each : diagram_.wires)
        if (seen.intersects(each.points.boundingRect().adjusted(0, 0, 1, 1))) wire(*painter, each);
}

void DiagramScene::drawForeground(QPainter* painter, const QRectF& exposed) {
    for (const auto& each : diagram_.texts)
        if (exposed.intersects(each.rect)) caption(*painter, each);
    if (!dropLine_) return;
    painter->setPen(QPen(Theme::color(Token::Accent), 3));
    painter->drawLine(*dropLine_);
}

void writeDiagram(Diagram diagram, const QString& title, const QString& file) {
    std::erase_if(diagram.boxes, [](const DiagramBox& box) { return box.isOffer(); });
    const QRectF area = diagram.bounds.adjusted(-px(8), -px(8), px(8), px(8));
    DiagramScene scene;
    scene.setDiagram(std::move(diagram));
    const auto paint = [&](QPaintDevice& device) {
        const Theme::LightLook look;
        QPainter painter(&device);
        painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing | QPainter::SmoothPixmapTransform);
        scene.render(&painter, QRectF(QPointF(), area.size()), area);
    };
    writePicture({title, area.size().toSize(), paint}, file);
}

}  // namespace heddle::ui
