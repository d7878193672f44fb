// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/head_grid_panel.h"

#include "ui/theme/type.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QPushButton>

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

HeadGridPanel::HeadGridPanel(InspectedPair& pair, QWidget* parent)
    : Panel(tr("Layers × heads"), parent),
      pair_(pair),
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
    connect(parts_, &Segments::chosen, this, &HeadGridPanel::showPart);
    connect(&pair_, &InspectedPair::changed, this, &HeadGridPanel::show);
    connect(grid_, &HeadGrid::currentChanged, this, &HeadGridPanel::keepChoice);
    connect(grid_, &HeadGrid::hovered, this, [this](std::optional<HeadPlace> place) {
        setNote(place ? grid_->accessibleText(*place) : note());
        hovered_ = place;
        keepChoice();
    });
    auto* words = new ElidedLabel(tr("columns: keys, rows: queries; below: entropy as a share of its maximum"), this);
    setCaption(*words);
    foot()->addWidget(bar_);
    foot()->addWidget(words, 1);
    choices_.add(QStringLiteral("inspect/part"), *parts_);
    choices_.add(QStringLiteral("inspect/path"), chosen_);
    choices_.add(QStringLiteral("inspect/head"), head_);
    showReason(tr("No attention to show"), tr("Choose a run."));
}

void HeadGridPanel::show() {
    const auto maps = pair_.a().mapsOf(pair_.family());
    const auto heads = maps ? maps->grid(pair_.family()) : nullptr;
    if (!heads) return showReason(tr("No maps to show"), pair_.reason());
    setNote(note());
    if (heads == all_) return;
    all_ = heads;
    showPart();
}

QString HeadGridPanel::note() const {
    const InspectedSentence& sentence = pair_.sentence();
    return tr("A: %1, %2")
        .arg(pair_.mapsLabel(pair_.a()), sentence.text.isEmpty() ? tr("probe %1").arg(sentence.probe) : tr("free text"));
}

void HeadGridPanel::showPart() {
    if (!all_) return;
    auto shown = std::make_shared<HeadGridData>();
    shown->scale = all_->scale;
    std::copy_if(all_->rows.begin(), all_->rows.end(), std::back_inserter(shown->rows),
                 [this](const HeadRow& row) { return belongs(row, parts_->current()); });
    if (shown->rows.empty()) return setPlaceholder(tr("No such heads"), tr("This model has no attention of this kind."));
    const QString preferred = chosen_;
    const int head = head_;
    grid_->setData(shown);
    bar_->setScale(shown->scale);
    setPlaceholder({}, {});
    // The default is the last cross attention, the most informative.
    const auto isPreferred = [&](const HeadRow& row) {
        return preferred.isEmpty() ? belongs(row, Cross) : row.sublayer == preferred;
    };
    const auto found = std::find_if(shown->rows.rbegin(), shown->rows.rend(), isPreferred);
    if (found != shown->rows.rend()) grid_->setCurrent({int(std::distance(found, shown->rows.rend())) - 1, head});
    keepChoice();
}

void HeadGridPanel::showReason(const QString& title, const QString& text) {
    all_.reset();
    setPlaceholder(title, text);
    setNote({});
}

void HeadGridPanel::choose(const QString& sublayer, int head) {
    for (const bool showAll : {false, true}) {
        if (showAll && parts_->current() != All) {
            parts_->setCurrent(All);
            showPart();
        }
        const auto& rows = grid_->data().rows;
        const auto found = std::find_if(rows.begin(), rows.end(), [&](const HeadRow& row) { return row.sublayer == sublayer; });
        if (found != rows.end()) return grid_->setCurrent({int(found - rows.begin()), head});
    }
}

InspectedPair::Head HeadGridPanel::headAt(std::optional<HeadPlace> place) const {
    const auto& rows = grid_->data().rows;
    if (!place || place->row >= int(rows.size())) return {};
    const HeadRow& row = rows[std::size_t(place->row)];
    return {row.path, row.sublayer, place->head};
}

void HeadGridPanel::keepChoice() {
    const InspectedPair::Head head = headAt(grid_->current()), pointed = headAt(hovered_);
    if (!head.path.isEmpty()) {
        chosen_ = head.sublayer;
        head_ = head.number;
    }
    pair_.setHeads(head, pointed.path.isEmpty() ? head : pointed);
}

}  // namespace heddle::ui
