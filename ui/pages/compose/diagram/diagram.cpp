// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram.h"

#include <cmath>

namespace heddle::ui {

int Diagram::boxOf(const SlotSite& site) const {
    int best = -1;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const auto& own = boxes[i].site;
        if (!own || !own->isSameSlot(site)) continue;
        if (*own == site) return int(i);
        if (site.isGlobal() || (own->first <= site.first && site.first <= own->last)) best = best < 0 ? int(i) : best;
    }
    return best;
}

int Diagram::boxAt(const QPointF& point) const {
    for (std::size_t i = boxes.size(); i-- > 0;)
        if (boxes[i].site && boxes[i].rect.contains(point)) return int(i);
    return -1;
}

int Diagram::frameAt(const QPointF& point) const {
    for (std::size_t i = 0; i < frames.size(); ++i)
        if (frames[i].rect.contains(point)) return int(i);
    return -1;
}

int Diagram::neighbour(int from, QPoint direction) const {
    int best = -1;
    double bestDistance = 0;
    const QPointF start = from < 0 ? QPointF(0, -1e6) : box(from).rect.center();
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!boxes[i].site || int(i) == from) continue;
        const QPointF offset = boxes[i].rect.center() - start;
        const double along = offset.x() * direction.x() + offset.y() * direction.y();
        const double across = std::abs(offset.x() * direction.y() + offset.y() * direction.x());
        if (along <= 1) continue;
        // Sideways within a stack only to what stands in the same row.
        const auto isBeside = [&](const DiagramBox& here, const DiagramBox& there) {
            return there.rect.top() < here.rect.bottom() && there.rect.bottom() > here.rect.top();
        };
        const bool leavesRow = from >= 0 && direction.x() != 0 && !isBeside(box(from), boxes[i]);
        if (leavesRow && boxes[i].site->stack == box(from).site->stack) continue;
        // Sideways first within the row, then to the nearest height of the other stack; up and down stay in the column.
        const double distance = from < 0 ? along : along + 4 * across;
        if (best < 0 || distance < bestDistance) {
            best = int(i);
            bestDistance = distance;
        }
    }
    return best;
}

}  // namespace heddle::ui
