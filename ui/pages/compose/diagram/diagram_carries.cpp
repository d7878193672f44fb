// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram_carries.h"

#include "ui/theme/type.h"

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

constexpr int kSteps = 16;  // straight pieces of an arc

/// Left of an encoder's frames, right of a decoder's, the farther from them the more layers it spans.
QPolygonF arc(const DiagramAttention& from, const DiagramAttention& to) {
    const double side = from.score.stack == "encoder" ? -1 : 1;
    const double depth = side * px(8 + 9 * (to.score.first - from.score.first));
    const double begin = from.edge.y() + px(5), end = to.edge.y() - px(5);
    QPolygonF points;
    for (int i = 0; i <= kSteps; ++i) {
        const double t = double(i) / kSteps;
        points << QPointF(to.edge.x() + depth * std::sin(M_PI * t), begin + (end - begin) * t);
    }
    return points;
}

}  // namespace

std::vector<DiagramWire> carryWires(const ResolvedVariant& variant, const ResolvedVariant* over,
                                    const std::vector<DiagramAttention>& ends) {
    const auto offsetsAt = [](const ResolvedVariant* of, const SlotSite& score) {
        const BlockChoice* choice = of ? choiceAt(*of, score) : nullptr;
        return choice ? carriedFrom(*choice) : std::vector<int>{};
    };
    std::vector<DiagramWire> wires;
    for (const auto& to : ends) {
        const auto add = [&](int offset, DiagramChange change) {
            const SlotSite earlier = to.score.inLayer(to.score.first - offset);
            for (const auto& from : ends)
                if (from.score == earlier) wires.push_back({arc(from, to), DiagramWire::End::Arrow, SlotColour::Score, change});
        };
        const std::vector<int> now = offsetsAt(&variant, to.score);
        for (const int offset : now) add(offset, DiagramChange::None);
        for (const int offset : offsetsAt(over, to.score))
            if (std::find(now.begin(), now.end(), offset) == now.end()) add(offset, DiagramChange::Missing);
    }
    return wires;
}

}  // namespace heddle::ui
