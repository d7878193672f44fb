// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram_drag.h"

#include "ui/theme/type.h"

namespace heddle::ui {

int sublayerByEdge(const Diagram& diagram, const QPointF& point) {
    for (std::size_t i = 0; i < diagram.sublayers.size(); ++i) {
        const QRectF& rect = diagram.sublayers[i].rect;
        if (QRectF(rect.left() - px(3), rect.top(), px(11), rect.height()).contains(point)) return int(i);
    }
    return -1;
}

std::optional<SublayerDrop> dropOf(const Diagram& diagram, int sublayer, double y) {
    const DiagramSublayer& dragged = diagram.sublayers[std::size_t(sublayer)];
    std::vector<QRectF> others;
    int own = 0;
    for (const auto& other : diagram.sublayers) {
        if (other.frame != dragged.frame || &other == &dragged) continue;
        others.push_back(other.rect);
        own += other.rect.top() < dragged.rect.top() ? 1 : 0;
    }
    int place = 0;
    while (place < int(others.size()) && others[std::size_t(place)].center().y() < y) ++place;
    if (place == own) return std::nullopt;
    const double at = place == 0 ? others.front().top() : others[std::size_t(place) - 1].bottom();
    return SublayerDrop{place, QLineF(dragged.rect.left(), at, dragged.rect.right(), at)};
}

int attentionAt(const Diagram& diagram, const QPointF& point) {
    for (std::size_t i = 0; i < diagram.attentions.size(); ++i)
        if (diagram.attentions[i].rect.contains(point)) return int(i);
    return -1;
}

bool canCarry(const DiagramAttention& from, const DiagramAttention& to) {
    return from.score.stack == to.score.stack && from.score.sublayer == to.score.sublayer && from.score.first < to.score.first;
}

}  // namespace heddle::ui
