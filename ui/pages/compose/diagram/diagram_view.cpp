// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram_view.h"

#include "ui/pages/compose/diagram/diagram_accessible.h"
#include "ui/pages/compose/diagram/diagram_drag.h"
#include "ui/pages/compose/diagram/diagram_item.h"
#include "ui/pages/compose/diagram/diagram_offers.h"
#include "ui/pages/compose/diagram/diagram_words.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAccessible>
#include <QApplication>
#include <QGraphicsScene>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QResizeEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace heddle::ui {
namespace {

constexpr double kSmallest = 0.02, kLargest = 3;

std::vector<DiagramPart> partsOf(const Diagram& diagram) {
    std::vector<DiagramPart> parts;
    std::set<int> seen;
    std::set<std::tuple<std::string_view, std::string_view, std::string_view, int>> sites;
    for (std::size_t i = 0; i < diagram.boxes.size(); ++i) {
        const int frame = diagram.boxes[i].frame;
        if (frame >= 0 && frame < int(diagram.frames.size()) && seen.insert(frame).second) parts.push_back({true, frame});
        // A mixer with one chip is the chip's slot, too: the first box stands for both, as in boxOf().
        if (const auto& site = diagram.boxes[i].site;
            site && sites.emplace(site->stack, site->sublayer, site->slot, site->first).second)
            parts.push_back({false, int(i)});
    }
    return parts;
}

/// "encoder layers 0–1 self": as a path, spoken.
QString placeWords(const SlotSite& site) {
    QStringList words{QString::fromStdString(site.stack)};
    if (site.hasLayers())
        words << (site.first == site.last ? DiagramView::tr("layer %1").arg(site.first)
                                          : DiagramView::tr("layers %1–%2").arg(site.first).arg(site.last));
    words << QString::fromStdString(site.sublayer);
    return words.join(QLatin1Char(' ')).simplified();
}

}  // namespace

DiagramView::DiagramView(QWidget* parent) : QGraphicsView(parent), item_(new DiagramItem) {
    describeDiagramsToReaders();  // before the name is set: screen readers hear of it at once
    auto* scene = new QGraphicsScene(this);
    scene->setItemIndexMethod(QGraphicsScene::NoIndex);
    scene->addItem(item_);
    setScene(scene);
    setFrameShape(QFrame::NoFrame);
    setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Diagram of the variant"));
    setTransformationAnchor(AnchorUnderMouse);
    const auto recolour = [this] {
        setBackgroundBrush(Theme::color(Token::Base));
        viewport()->update();
    };
    connect(&Theme::instance(), &Theme::changed, this, recolour);
    recolour();
}

const Diagram& DiagramView::diagram() const { return item_->diagram(); }
int DiagramView::currentBox() const { return item_->current(); }

void DiagramView::setDiagram(Diagram diagram) {
    scene()->setSceneRect(diagram.bounds);
    parts_ = partsOf(diagram);
    dragged_ = carriedFrom_ = -1;
    item_->setDiagram(std::move(diagram));
    applyFit();
    QAccessibleEvent others(this, QAccessible::ObjectReorder);
    QAccessible::updateAccessibility(&others);
    setCurrent(current_);
}

void DiagramView::setCurrent(const std::optional<SlotSite>& site) {
    current_ = site;
    const int box = site ? diagram().boxOf(*site) : -1;
    item_->setCurrent(box);
    setAccessibleDescription(accessibleText(box));
    QAccessibleEvent described(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&described);
    if (const int part = partOfBox(box); part >= 0 && hasFocus()) {
        QAccessibleEvent focus(this, QAccessible::Focus);
        focus.setChild(part);
        QAccessible::updateAccessibility(&focus);
    }
}

int DiagramView::partOfBox(int box) const {
    const auto found =
        std::find_if(parts_.begin(), parts_.end(), [&](const auto& part) { return !part.isFrame && part.index == box; });
    return box < 0 || found == parts_.end() ? -1 : int(found - parts_.begin());
}

QRectF DiagramView::rectOf(const DiagramPart& part) const {
    return part.isFrame ? diagram().frame(part.index).rect : diagram().box(part.index).rect;
}

QString DiagramView::accessibleText(const DiagramPart& part) const {
    if (!part.isFrame) return accessibleText(part.index);
    const DiagramFrame& frame = diagram().frame(part.index);
    QString words = frame.figure.isEmpty() ? frame.title : tr("%1, %2 parameters").arg(frame.title, frame.figure);
    if (!frame.added.isEmpty())
        words += QStringLiteral(", ") + tr("new beside %1: %2").arg(diagram().over, frame.added.join(QStringLiteral(", ")));
    if (!frame.moved.isEmpty())
        words += QStringLiteral(", ") + tr("moved, in %1: %2").arg(diagram().over, frame.moved.join(QStringLiteral(", ")));
    return frame.change == DiagramChange::Missing ? tr("%1, only in %2").arg(words, diagram().over) : words;
}

void DiagramView::press(const DiagramPart& part) {
    if (part.isFrame) return Q_EMIT foldToggled(std::string(diagram().frame(part.index).stack));
    const bool isOffer = diagram().box(part.index).isOffer();
    choose(part.index);
    if (isOffer) showOffer(part.index);
}

QString DiagramView::accessibleText(int index) const {
    if (index < 0) return tr("no slot selected");
    const DiagramBox& box = diagram().box(index);
    const QString place = placeWords(*box.site);
    if (box.isOffer()) return QStringLiteral("%1, %2").arg(place, offerWords(box));
    QStringList words{(place + QLatin1Char(' ') + QString::fromStdString(box.site->slot)).trimmed(), box.title};
    if (box.isAbsent) words.first() = place;
    if (!box.detail.isEmpty()) words << box.detail;
    if (!box.figure.isEmpty()) words << tr("%1 parameters").arg(box.figure);
    if (box.change == DiagramChange::New) words << tr("new beside %1").arg(diagram().over);
    if (box.change == DiagramChange::Missing) words << tr("only in %1").arg(diagram().over);
    if (box.change == DiagramChange::Moved) words << DiagramWords::isMoved();
    if (box.change == DiagramChange::Changed) words << tr("in %1: %2").arg(diagram().over, box.before);
    if (box.differs && box.change == DiagramChange::None && diagram().over.isEmpty()) words << tr("differs from the baseline");
    if (box.problem > 0) words << tr("problem %1").arg(box.problem);
    return words.join(QStringLiteral(", "));
}

void DiagramView::choose(int box) {
    std::optional<SlotSite> site;
    if (box >= 0) site = diagram().box(box).site;
    setCurrent(site);
    if (box >= 0) ensureVisible(diagram().box(box).rect, px(24), px(24));
    if (box >= 0 && !diagram().box(box).isSlot()) return;  // nothing to inspect
    Q_EMIT siteChosen(site);
}

void DiagramView::showOffer(int index) {
    const DiagramBox box = diagram().box(index);
    QMenu* menu = makeOfferMenu(box, this, [this](const SlotSite& site, const std::string& block) {
        block.empty() ? Q_EMIT siteChosen(site) : Q_EMIT blockAdded(site, block);
    });
    menu->popup(viewport()->mapToGlobal(mapFromScene(box.rect.bottomLeft())));
}

void DiagramView::mousePressEvent(QMouseEvent* event) {
    QGraphicsView::mousePressEvent(event);
    if (event->button() != Qt::LeftButton) return;
    const QPointF point = mapToScene(event->pos());
    if (const int frame = diagram().frameAt(point); frame >= 0) {
        const QRectF rect = diagram().frame(frame).rect;
        if (QRectF(rect.left(), rect.top(), px(24), px(24)).contains(point)) {
            toggleFold(point);
            return;
        }
    }
    pressed_ = event->pos();
    const int box = diagram().boxAt(point), sublayer = sublayerByEdge(diagram(), point);
    const bool isOffer = box >= 0 && diagram().box(box).isOffer();  // has a menu
    const int attention = sublayer < 0 && !isOffer ? attentionAt(diagram(), point) : -1;
    if (box >= 0) press({false, box});
    // press() may have laid the diagram out anew: boxes have other indices then, sublayers and attentions keep theirs.
    dragged_ = sublayer;
    carriedFrom_ = attention;
}

bool DiagramView::isDragged(const QMouseEvent& event) const {
    return (event.pos() - pressed_).manhattanLength() >= QApplication::startDragDistance();
}

std::pair<QLineF, int> DiagramView::carryTo(const QPointF& point) const {
    const auto& attentions = diagram().attentions;
    const DiagramAttention& from = attentions[std::size_t(carriedFrom_)];
    const int to = attentionAt(diagram(), point);
    if (to < 0 || !canCarry(from, attentions[std::size_t(to)])) return {QLineF(from.rect.center(), point), -1};
    return {QLineF(from.rect.center(), attentions[std::size_t(to)].rect.center()), to};
}

void DiagramView::stopDrag() {
    dragged_ = carriedFrom_ = -1;
    item_->setDropLine(std::nullopt);
}

void DiagramView::mouseMoveEvent(QMouseEvent* event) {
    QGraphicsView::mouseMoveEvent(event);
    const QPointF point = mapToScene(event->pos());
    viewport()->setCursor(dragged_ >= 0                           ? Qt::ClosedHandCursor
                          : sublayerByEdge(diagram(), point) >= 0 ? Qt::OpenHandCursor
                                                                  : Qt::ArrowCursor);
    if (!(event->buttons() & Qt::LeftButton) && carriedFrom_ >= 0) stopDrag();
    if (carriedFrom_ >= 0 && isDragged(*event)) {
        viewport()->setCursor(carryTo(point).second >= 0 ? Qt::CrossCursor : Qt::ForbiddenCursor);
        return item_->setDropLine(carryTo(point).first);
    }
    if (dragged_ < 0 || !isDragged(*event)) return;
    const auto drop = dropOf(diagram(), dragged_, point.y());
    item_->setDropLine(drop ? std::optional(drop->line) : std::nullopt);
}

void DiagramView::mouseReleaseEvent(QMouseEvent* event) {
    QGraphicsView::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton) return;
    const int dragged = dragged_, from = carriedFrom_;
    const int to = from >= 0 ? carryTo(mapToScene(event->pos())).second : -1;
    stopDrag();
    if (!isDragged(*event)) return;
    if (to >= 0) {
        const DiagramAttention target = diagram().attentions[std::size_t(to)];
        const int offset = target.score.first - diagram().attentions[std::size_t(from)].score.first;
        return Q_EMIT carryDrawn(target.score, offset);
    }
    if (dragged < 0) return;
    const auto drop = dropOf(diagram(), dragged, mapToScene(event->pos()).y());
    if (!drop) return;
    const DiagramSublayer& sublayer = diagram().sublayers[std::size_t(dragged)];
    Q_EMIT sublayerDropped({sublayer.stack, sublayer.name}, drop->place);
}

void DiagramView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && toggleFold(mapToScene(event->pos()))) return;
    QGraphicsView::mouseDoubleClickEvent(event);
}

bool DiagramView::toggleFold(const QPointF& point) {
    const int frame = diagram().frameAt(point);
    if (frame < 0) return false;
    press({true, frame});
    return true;
}

void DiagramView::keyPressEvent(QKeyEvent* event) {
    QPoint direction;
    switch (event->key()) {
    case Qt::Key_Up: direction = {0, -1}; break;
    case Qt::Key_Down: direction = {0, 1}; break;
    case Qt::Key_Left: direction = {-1, 0}; break;
    case Qt::Key_Right: direction = {1, 0}; break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (currentBox() < 0) return;
        if (diagram().box(currentBox()).isOffer()) return showOffer(currentBox());
        Q_EMIT inspectRequested();
        return;
    case Qt::Key_Space:
        if (current_ && !current_->isGlobal()) Q_EMIT foldToggled(std::string(current_->stack));
        return;
    case Qt::Key_Escape:
        if (dragged_ >= 0 || carriedFrom_ >= 0) return stopDrag();
        if (current_) return choose(-1);
        return event->ignore();
    default: return QGraphicsView::keyPressEvent(event);
    }
    const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
    if (modifiers == Qt::ControlModifier && direction.x() != 0) return chooseNext(direction.x());
    if (modifiers) return event->ignore();
    if (const int next = diagram().neighbour(currentBox(), currentBox() < 0 ? QPoint(0, 1) : direction); next >= 0)
        choose(next);
}

void DiagramView::chooseNext(int step) {
    const int from = partOfBox(currentBox()), all = int(parts_.size());
    for (int i = from >= 0 ? from + step : step > 0 ? 0 : all - 1; i >= 0 && i < all; i += step)
        if (const DiagramPart& part = parts_[std::size_t(i)]; !part.isFrame) return choose(part.index);
}

/// Selects the slot under the pointer first; elsewhere in a layer, the first slot of that layer.
void DiagramView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Keyboard) {
        const QRectF at = currentBox() < 0 ? QRectF() : diagram().box(currentBox()).rect;
        return Q_EMIT menuRequested(viewport()->mapToGlobal(mapFromScene(at.bottomLeft())));
    }
    const QPointF point = mapToScene(event->pos());
    const auto isSlot = [this](int box) { return box >= 0 && diagram().box(box).isSlot(); };
    int box = diagram().boxAt(point);
    if (const int frame = diagram().frameAt(point); !isSlot(box) && frame >= 0)
        for (const auto& part : parts_)
            if (!part.isFrame && isSlot(part.index) && diagram().box(part.index).frame == frame &&
                diagram().box(part.index).site->hasLayers()) {
                box = part.index;
                break;
            }
    if (isSlot(box)) choose(box);
    Q_EMIT menuRequested(event->globalPos());
}

void DiagramView::wheelEvent(QWheelEvent* event) {
    if (!(event->modifiers() & Qt::ControlModifier)) return QGraphicsView::wheelEvent(event);
    setZoom(zoom_ * (event->angleDelta().y() > 0 ? 1.1 : 1 / 1.1));
    event->accept();
}

bool DiagramView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int box = diagram().boxAt(mapToScene(help->pos()));
        QToolTip::showText(help->globalPos(), box < 0 ? QString() : accessibleText(box), this);
        return true;
    }
    return QGraphicsView::viewportEvent(event);
}

void DiagramView::focusInEvent(QFocusEvent* event) {
    QGraphicsView::focusInEvent(event);
    if (currentBox() < 0 && event->reason() != Qt::MouseFocusReason)
        if (const int first = diagram().neighbour(-1, {0, 1}); first >= 0) choose(first);
}

void DiagramView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    applyFit();
}

void DiagramView::setZoom(double zoom) {
    fitted_.reset();
    applyZoom(std::abs(zoom - 1) < 0.02 ? 1 : zoom);  // text is sharpest unscaled
}

void DiagramView::applyZoom(double zoom) {
    zoom_ = std::clamp(zoom, kSmallest, kLargest);
    setTransform(QTransform::fromScale(zoom_, zoom_));
    Q_EMIT zoomChanged(zoom_);
}

void DiagramView::fit(Fit how) {
    fitted_ = how;
    applyFit();
    verticalScrollBar()->setValue(verticalScrollBar()->minimum());
}

void DiagramView::applyFit() {
    const QRectF bounds = diagram().bounds;
    if (!fitted_ || bounds.isEmpty()) return;
    constexpr double kReadable = 0.8;
    // The zoom is the same with and without a scroll bar at the side.
    const QSize room = maximumViewportSize() - QSize(verticalScrollBar()->sizeHint().width(), 0);
    const double wide = room.width() / bounds.width(), all = std::min(wide, room.height() / bounds.height());
    applyZoom(std::min(1.0, *fitted_ == Fit::Whole ? all : std::max(all, std::min(wide, kReadable))));
}

}  // namespace heddle::ui
