// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/head_grid_panel.h"

#include "ui/theme/type.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QPushButton>
#include <QSettings>

#include <algorithm>

namespace heddle::ui {
namespace {

enum Part { All, Encoder, Decoder, Cross };

bool belongs(const HeadRow& row, int part) {
    const bool isCross = row.path.contains(QLatin1String(".cross"));
    if (part == Encoder) return row.path.startsWith(QLatin1String("encoder."));
    if (part == Decoder) return row.path.startsWith(QLatin1String("decoder.")) && !isCross;
    return part == All || isCross;
}

}  // namespace

HeadGridPanel::HeadGridPanel(QWidget* parent)
    : Panel(tr("Layers × heads"), parent),
      grid_(new HeadGrid(this)),
      parts_(new Segments({tr("All"), tr("Encoder"), tr("Decoder"), tr("Cross")}, this)),
      bar_(new ScaleBar(this)) {
    grid_->setAccessibleName(tr("All heads"));
    setBody(grid_, {grid_});
    for (int part = All; part <= Cross; ++part) {
        QPushButton& button = parts_->button(part);
        button.setAccessibleName(tr("Heads shown: %1").arg(button.text()));
        button.setFixedHeight(px(20));
    }
    parts_->allowShrinking();
    addToHead(parts_);
    connect(parts_, &Segments::chosen, this, &HeadGridPanel::show);
    connect(grid_, &HeadGrid::currentChanged, this, &HeadGridPanel::keepChoice);
    auto* words = new ElidedLabel(tr("columns: keys, rows: queries; below: entropy, of the largest possible"), this);
    setCaption(*words);
    foot()->addWidget(bar_);
    foot()->addWidget(words, 1);
    setReason(tr("No attention to show"), tr("Choose a run."));
}

void HeadGridPanel::setData(std::shared_ptr<const HeadGridData> heads) {
    if (heads == all_) return setPlaceholder({}, {});
    all_ = std::move(heads);
    show();
}

void HeadGridPanel::show() {
    auto shown = std::make_shared<HeadGridData>();
    shown->scale = all_->scale;
    std::copy_if(all_->rows.begin(), all_->rows.end(), std::back_inserter(shown->rows),
                 [this](const HeadRow& row) { return belongs(row, parts_->current()); });
    if (shown->rows.empty()) return setReason(tr("No such heads"), tr("This model has no attention of this kind."));
    const QString wished = chosen_;
    const int head = head_;
    grid_->setData(shown);
    bar_->setScale(shown->scale);
    setPlaceholder({}, {});
    // At first the last cross attention: it says most.
    const auto isWished = [&](const HeadRow& row) { return wished.isEmpty() ? belongs(row, Cross) : row.sublayer == wished; };
    const auto found = std::find_if(shown->rows.rbegin(), shown->rows.rend(), isWished);
    if (found != shown->rows.rend()) grid_->setCurrent({int(std::distance(found, shown->rows.rend())) - 1, head});
    keepChoice();
}

void HeadGridPanel::setReason(const QString& title, const QString& text) {
    setPlaceholder(title, text);
    setNote({});
}

void HeadGridPanel::choose(const QString& sublayer, int head) {
    for (const bool showAll : {false, true}) {
        if (showAll && parts_->current() != All) {
            parts_->setCurrent(All);
            show();
        }
        const auto& rows = grid_->data().rows;
        const auto found = std::find_if(rows.begin(), rows.end(), [&](const HeadRow& row) { return row.sublayer == sublayer; });
        if (found != rows.end()) return grid_->setCurrent({int(found - rows.begin()), head});
    }
}

const HeadRow* HeadGridPanel::row() const {
    const auto place = grid_->current();
    return place ? &grid_->data().rows[std::size_t(place->row)] : nullptr;
}

void HeadGridPanel::keepChoice() {
    chosen_ = row() ? row()->sublayer : QString();
    if (const auto place = grid_->current()) head_ = place->head;
}

void HeadGridPanel::saveSession(QSettings& settings) const {
    settings.setValue(QStringLiteral("inspect/part"), parts_->current());
    settings.setValue(QStringLiteral("inspect/path"), chosen_);
    settings.setValue(QStringLiteral("inspect/head"), head_);
}

void HeadGridPanel::restoreSession(QSettings& settings) {
    parts_->setCurrent(settings.value(QStringLiteral("inspect/part")).toInt());
    chosen_ = settings.value(QStringLiteral("inspect/path")).toString();
    head_ = settings.value(QStringLiteral("inspect/head")).toInt();
    if (!all_->rows.empty()) show();
}

}  // namespace heddle::ui
