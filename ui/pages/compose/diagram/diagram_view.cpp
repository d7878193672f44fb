// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram_view.h"

#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAccessible>
#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QResizeEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle::ui {
namespace {

constexpr double kMinZoom = 0.02, kMaxZoom = 3;

struct SublayerDrop {
    int place = 0;  ///< among the sublayers of the layer
    QLineF line;    ///< where it is shown
};
/// The place of a sublayer if it is dropped at this height; nothing if that is its own place.
std::optional<SublayerDrop> dropOf(const Diagram& diagram, const DiagramSublayer& dragged, double y) {
    std::vector<QRectF> others;
    int own = 0, place = 0;
    for (const auto& each : diagram.sublayers) {
        if (each.frame != dragged.frame) continue;
        if (each.name == dragged.name)
            own = int(others.size());
        else
            others.push_back(each.rect);
    }
    while (place < int(others.size()) && others[std::size_t(place)].center().y() < y) ++place;
    if (place == own) return std::nullopt;
    const QRectF& beside = others[std::size_t(std::max(0, place - 1))];
    const double at = place == 0 ? beside.top() : beside.bottom();
    return SublayerDrop{place, QLineF(beside.left(), at, beside.right(), at)};
}

/// True if the scores of one attention can be carried to another: a later layer of the same stack and sublayer.
bool canCarry(const SlotSite& from, const SlotSite& to) {
    return from.stack == to.stack && from.sublayer == to.sublayer && from.first < to.first;
}

}  // namespace

DiagramView::DiagramView(QWidget* parent) : QGraphicsView(parent), scene_(new DiagramScene(this)) {
    installDiagramAccessibility();  // before the name is set, of which screen readers are notified
    setScene(scene_);
    setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform | QPainter::TextAntialiasing);
    setFrameShape(QFrame::NoFrame);
    setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Diagram of the variant"));
    setTransformationAnchor(AnchorUnderMouse);
    connect(&Theme::instance(), &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void DiagramView::setDiagram(Diagram diagram, const std::optional<SlotSite>& site) {
    stopDrag();
    scene_->setDiagram(std::move(diagram));
    applyFit();
    QAccessibleEvent others(this, QAccessible::ObjectReorder);
    QAccessible::updateAccessibility(&others);
    setCurrent(site);
}

void DiagramView::setCurrent(const std::optional<SlotSite>& site) {
    scene_->clearSelection();
    DiagramPart* part = site ? scene_->partOf(*site) : nullptr;
    if (part) part->setSelected(true);
    setAccessibleDescription(part ? part->accessibleText() : tr("no slot selected"));  // notifies screen readers
    if (!part || !hasFocus()) return;
    QAccessibleEvent focus(part, QAccessible::Focus);
    QAccessible::updateAccessibility(&focus);
}

DiagramPart* DiagramView::current() const {
    const auto selected = scene_->selectedItems();
    return selected.isEmpty() ? nullptr : qgraphicsitem_cast<DiagramPart*>(selected.front());
}

QPoint DiagramView::menuPlace() const {
    const DiagramPart* part = current();
    return viewport()->mapToGlobal(mapFromScene(part ? part->rect().bottomLeft() : QPointF()));
}

void DiagramView::press(const DiagramPart& part) {
    if (part.frame()) return Q_EMIT foldToggled(std::string(part.frame()->stack));
    const DiagramBox box = *part.box();  // a new layout may delete the part
    choose(&part);
    if (box.isOffer()) showOffer(box);
}

void DiagramView::choose(const DiagramPart* part) {
    if (!part) {
        setCurrent(std::nullopt);
        return Q_EMIT siteChosen(std::nullopt);
    }
    const std::optional<SlotSite> site = part->box()->site;
    setCurrent(site);
    ensureVisible(part->rect(), px(24), px(24));
    if (part->isSlot()) Q_EMIT siteChosen(site);  // otherwise there is nothing to inspect
}

/// "+" lists the blocks of each empty slot, "2 more" the slots.
void DiagramView::showOffer(const DiagramBox& box) {
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("slotOffers"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const bool adds = box.offer == DiagramBox::Offer::Add;
    menu->setAccessibleName(adds ? tr("Add here") : tr("More slots"));
    for (const auto& [site, words] : box.others) {
        if (!adds) {
            menu->addAction(words, this, [this, site = site] { Q_EMIT siteChosen(site); });
            continue;
        }
        QMenu* blocks = menu->addMenu(words);
        blocks->setToolTipsVisible(true);
        for (const auto* block : builtinCatalogue().ofSlot(site.slot)) {
            if (holdsNothing({block->id, {}})) continue;
            QAction* action = blocks->addAction(QStringLiteral("%1  %2").arg(blockName(*block), text(block->title)), this,
                                                [this, site = site, id = block->id] { Q_EMIT blockAdded(site, id); });
            action->setToolTip(text(block->summary));
        }
    }
    menu->popup(viewport()->mapToGlobal(mapFromScene(box.rect.bottomLeft())));
}

DiagramPart* DiagramView::partAt(const QPoint& point, const std::function<bool(const DiagramPart&)>& fits) const {
    for (QGraphicsItem* item : items(point))
        if (auto* part = qgraphicsitem_cast<DiagramPart*>(item); part && fits(*part)) return part;
    return nullptr;
}

int DiagramView::draggedAt(const QPoint& point, DiagramScene::Dragged what) const {
    for (const QGraphicsItem* item : items(point))
        if (const QVariant index = item->data(what); index.isValid()) return index.toInt();
    return -1;
}

void DiagramView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const DiagramPart* layer = partAt(event->pos(), isLayer)) {
        const QRectF fold(layer->rect().topLeft(), QSizeF(px(24), px(24)));
        if (fold.contains(mapToScene(event->pos()))) return press(*layer);
    }
    pressed_ = event->pos();
    const DiagramPart* box = partAt(pressed_, isBox);
    const int sublayer = draggedAt(pressed_, DiagramScene::Sublayer), attention = draggedAt(pressed_, DiagramScene::Attention);
    std::optional<DiagramSublayer> dragged;
    std::optional<SlotSite> from;
    if (sublayer >= 0)
        dragged = diagram().sublayers[std::size_t(sublayer)];
    else if (attention >= 0 && !(box && box->box()->isOffer()))  // an offer has a menu
        from = diagram().attentions[std::size_t(attention)].score;
    if (box) press(*box);  // this may cause a new layout, which ends a drag
    dragged_ = dragged;
    carriedFrom_ = from;
}

bool DiagramView::isDragged(const QMouseEvent& event) const {
    return (event.pos() - pressed_).manhattanLength() >= QApplication::startDragDistance();
}

std::pair<QLineF, std::optional<SlotSite>> DiagramView::carryTo(const QPoint& point) const {
    const auto& all = diagram().attentions;
    const auto from = std::find_if(all.begin(), all.end(), [this](const auto& each) { return each.score == *carriedFrom_; });
    if (from == all.end()) return {};
    const QPointF start = from->rect.center();
    const int to = draggedAt(point, DiagramScene::Attention);
    if (to < 0 || !canCarry(from->score, all[std::size_t(to)].score)) return {QLineF(start, mapToScene(point)), std::nullopt};
    return {QLineF(start, all[std::size_t(to)].rect.center()), all[std::size_t(to)].score};
}

void DiagramView::stopDrag() {
    dragged_.reset();
    carriedFrom_.reset();
    scene_->setDropLine(std::nullopt);
    viewport()->setCursor(Qt::ArrowCursor);
}

void DiagramView::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton) && (dragged_ || carriedFrom_)) stopDrag();
    if (!dragged_ && !carriedFrom_) return QGraphicsView::mouseMoveEvent(event);  // items have cursors
    if (dragged_) viewport()->setCursor(Qt::ClosedHandCursor);
    if (!isDragged(*event)) return;
    if (carriedFrom_) {
        const auto [line, to] = carryTo(event->pos());
        viewport()->setCursor(to ? Qt::CrossCursor : Qt::ForbiddenCursor);
        return scene_->setDropLine(line);
    }
    const auto drop = dropOf(diagram(), *dragged_, mapToScene(event->pos()).y());
    scene_->setDropLine(drop ? std::optional(drop->line) : std::nullopt);
}

void DiagramView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || (!dragged_ && !carriedFrom_)) return;
    const auto dragged = dragged_;
    const auto from = carriedFrom_, to = from ? carryTo(event->pos()).second : std::nullopt;
    stopDrag();
    if (!isDragged(*event)) return;
    if (to) return Q_EMIT carryDrawn(*to, to->first - from->first);
    if (!dragged) return;
    if (const auto drop = dropOf(diagram(), *dragged, mapToScene(event->pos()).y()))
        Q_EMIT sublayerDropped({dragged->stack, dragged->name}, drop->place);
}

void DiagramView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const DiagramPart* layer = partAt(event->pos(), isLayer)) press(*layer);
}

void DiagramView::keyPressEvent(QKeyEvent* event) {
    const DiagramPart* part = current();
    QPoint direction;
    switch (event->key()) {
    case Qt::Key_Up: direction = {0, -1}; break;
    case Qt::Key_Down: direction = {0, 1}; break;
    case Qt::Key_Left: direction = {-1, 0}; break;
    case Qt::Key_Right: direction = {1, 0}; break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!part) return;
        if (part->box()->isOffer()) return showOffer(DiagramBox(*part->box()));
        return Q_EMIT inspectRequested();
    case Qt::Key_Space:
        if (part && !part->box()->site->isGlobal()) Q_EMIT foldToggled(std::string(part->box()->site->stack));
        return;
    case Qt::Key_Escape:
        if (dragged_ || carriedFrom_) return stopDrag();
        if (part) return choose(nullptr);
        return event->ignore();
    default: return QGraphicsView::keyPressEvent(event);
    }
    const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
    if (modifiers == Qt::ControlModifier && direction.x() != 0) return chooseNext(direction.x());
    if (modifiers) return event->ignore();
    if (const DiagramPart* next = neighbour(part ? direction : QPoint(0, 1))) choose(next);
}

void DiagramView::chooseNext(int step) {
    const auto& all = parts();
    const qsizetype from = all.indexOf(current());
    for (qsizetype i = from >= 0 ? from + step : step > 0 ? 0 : all.size() - 1; i >= 0 && i < all.size(); i += step)
        if (all[i]->box()) return choose(all[i]);
}

DiagramPart* DiagramView::neighbour(QPoint direction) const {
    const DiagramPart* from = current();
    const QPointF start = from ? from->rect().center() : QPointF(0, -1e6);
    DiagramPart* best = nullptr;
    double bestDistance = 0;
    for (DiagramPart* part : parts()) {
        if (!part->box() || part == from) continue;
        const QRectF& there = part->rect();
        const QPointF offset = there.center() - start;
        const double along = QPointF::dotProduct(offset, direction);
        const double across = std::abs(offset.x() * direction.y() + offset.y() * direction.x());
        if (along <= 1) continue;
        // Sideways within a stack only within the row.
        const bool isBeside = from && there.top() < from->rect().bottom() && there.bottom() > from->rect().top();
        if (from && direction.x() != 0 && !isBeside && part->box()->site->stack == from->box()->site->stack) continue;
        // Sideways first within the row, then to the nearest height of the other stack; up and down stay in the column.
        const double distance = from ? along + 4 * across : along;
        if (best && distance >= bestDistance) continue;
        best = part;
        bestDistance = distance;
    }
    return best;
}

/// Selects the slot under the pointer first; elsewhere in a layer, the first slot of that layer.
void DiagramView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Keyboard) return Q_EMIT menuRequested(menuPlace());
    const DiagramPart* slot = partAt(event->pos(), isBox);
    if (const DiagramPart* layer = partAt(event->pos(), isLayer); layer && !(slot && slot->isSlot()))
        for (const DiagramPart* part : parts())
            if (part->isSlot() && part->box()->site->hasLayers() &&
                &diagram().frames[std::size_t(part->box()->frame)] == layer->frame()) {
                slot = part;
                break;
            }
    if (slot && slot->isSlot()) choose(slot);
    Q_EMIT menuRequested(event->globalPos());
}

void DiagramView::wheelEvent(QWheelEvent* event) {
    if (!(event->modifiers() & Qt::ControlModifier)) return QGraphicsView::wheelEvent(event);
    setZoom(zoom_ * (event->angleDelta().y() > 0 ? 1.1 : 1 / 1.1));
    event->accept();
}

void DiagramView::focusInEvent(QFocusEvent* event) {
    QGraphicsView::focusInEvent(event);
    if (current() || event->reason() == Qt::MouseFocusReason) return;
    if (const DiagramPart* first = neighbour({0, 1})) choose(first);
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
    zoom_ = std::clamp(zoom, kMinZoom, kMaxZoom);
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
