// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft_diagram.h"

#include "engine/spec/variant_schema.h"
#include "ui/theme/type.h"
#include "ui/widgets/picture.h"
#include "ui/widgets/small_parts.h"

#include <QAction>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace heddle::ui {

DraftDiagram::DraftDiagram(VariantDraft& draft, Studio& studio, QWidget* parent)
    : DiagramView(parent),
      unfold(makeAction(this, {"unfoldLayers", tr("Unfold layers"), Icon::Fold})),
      mark(makeAction(this, {"markDifferences", tr("Mark differences"), Icon::NotEqual, Qt::CTRL | Qt::Key_D})),
      carries(makeAction(this, {"showCarries", tr("Show score carries")})),
      zoomInAction(makeAction(this, {"zoomIn", tr("Zoom in"), Icon::ZoomIn, QKeySequence::ZoomIn}, [this] { zoomIn(); })),
      zoomOutAction(makeAction(this, {"zoomOut", tr("Zoom out"), Icon::ZoomOut, QKeySequence::ZoomOut}, [this] { zoomOut(); })),
      actualSize(makeAction(this, {"actualSize", tr("Actual size"), {}, Qt::CTRL | Qt::Key_0}, [this] { setZoom(1); })),
      fitAction(makeAction(this, {"fitDiagram", tr("Fit diagram"), Icon::Expand}, [this] { fit(); })),
      exportAction(makeAction(this, {"exportDiagram", tr("Export diagram…"), Icon::Export}, [this] { exportDiagram(); })),
      draft_(draft),
      studio_(studio) {
    for (QAction* action : {unfold, mark, carries}) action->setCheckable(true);
    for (QAction* action : {mark, carries}) action->setChecked(true);
    carries->setToolTip(tr("Draw arcs between unfolded layers that carry scores"));
    exportAction->setToolTip(tr("As SVG, PDF or PNG, without editing marks"));
    connect(unfold, &QAction::triggered, this, [this](bool on) {
        setUnfolded(on ? std::set<std::string>{"encoder", "decoder"} : std::set<std::string>{});
    });
    for (QAction* action : {mark, carries})
        connect(action, &QAction::toggled, this, [this] {
            options_.differences = mark->isChecked() ? Marking::On : Marking::Off;
            options_.carries = carries->isChecked() ? Marking::On : Marking::Off;
            relayout();
        });
    connect(this, &DiagramView::siteChosen, &draft, &VariantDraft::select);
    connect(this, &DiagramView::foldToggled, this, &DraftDiagram::toggleFold);
    connect(this, &DiagramView::sublayerDropped, &draft, &VariantDraft::moveSublayer);
    connect(this, &DiagramView::blockAdded, &draft, [&draft](const SlotSite& site, const std::string& block) {
        draft.chooseBlock(site, VariantDraft::Reach::Site, block);
        draft.select(site);
    });
    connect(this, &DiagramView::carryDrawn, &draft, [&draft](const SlotSite& score, int offset) {
        draft.toggleCarry(score, offset);
        draft.select(score);
    });
    connect(&draft, &VariantDraft::changed, this, &DraftDiagram::relayout);
    connect(&draft, &VariantDraft::siteChanged, this, &DraftDiagram::showSite);
    relayout();
}

void DraftDiagram::relayout() {
    options_.selected = draft_.site();
    setDiagram(layoutDiagram(draft_, options_), draft_.site());
    for (QAction* action : {unfold, mark, fitAction, exportAction}) action->setEnabled(draft_.facts() != nullptr);
    fitOnce();
}

void DraftDiagram::showSite() {
    // A slot that holds the standard block is drawn while it is selected.
    const auto isDrawnWhileSelected = [](const std::optional<SlotSite>& one) { return one && isSecondary(one->slot); };
    if (options_.selected != draft_.site() && draft_.facts() &&
        (isDrawnWhileSelected(draft_.site()) || isDrawnWhileSelected(options_.selected)))
        return relayout();
    setCurrent(draft_.site());
}

/// Fits the diagram to the view once for each draft; from then on it follows the size of the view until the user zooms.
void DraftDiagram::fitOnce() {
    if (fittedTo_ == draft_.id() || !isVisible() || !draft_.facts()) return;
    fittedTo_ = draft_.id();
    fit(Fit::Readable);
}

void DraftDiagram::showEvent(QShowEvent* event) {
    DiagramView::showEvent(event);
    fitOnce();
}

void DraftDiagram::setOver(const DrawnOver& over) {
    if (over.name == options_.over.name && over.facts == options_.over.facts) return;
    options_.over = over;
    relayout();
}

void DraftDiagram::selectFirstDifference() {
    const auto& boxes = diagram().boxes;
    const auto first = std::find_if(boxes.begin(), boxes.end(), [](const auto& box) { return box.differs && box.isSlot(); });
    if (first != boxes.end()) draft_.select(first->site);
}

void DraftDiagram::goTo(const std::string& path) {
    auto site = draft_.facts() ? siteOfPath(path, draft_.facts()->variant) : std::nullopt;
    if (!site) return;
    if (diagram().boxOf(*site) < 0) draft_.select(site);
    // In a folded frame the site of the box includes all layers that are drawn as one.
    if (const int box = diagram().boxOf(*site); box >= 0) site = diagram().box(box).site;
    draft_.select(site);
    if (const DiagramPart* part = current()) ensureVisible(part->rect());
}

void DraftDiagram::toggleFold(const std::string& stack) {
    auto stacks = options_.unfolded;
    if (!stacks.erase(stack)) stacks.insert(stack);
    setUnfolded(std::move(stacks));
}

void DraftDiagram::setUnfolded(std::set<std::string> stacks) {
    options_.unfolded = std::move(stacks);
    if (!draft_.facts()) return unfold->setChecked(options_.unfolded.size() == 2);
    const auto all = stacksOf(draft_.facts()->variant.topology);
    const auto isOpen = [this](const std::string& stack) { return options_.unfolded.contains(stack); };
    unfold->setChecked(std::all_of(all.begin(), all.end(), isOpen));
    std::optional<SlotSite> keep = draft_.site();
    setDiagram(layoutDiagram(draft_, options_), keep);
    if (keep && keep->hasLayers()) {
        const bool open = isOpen(keep->stack);
        const int count = int(layersOf(draft_.facts()->variant, keep->stack).size());
        if (open && keep->first == 0 && keep->last == count - 1) keep->last = keep->first;
        if (!open && keep->first == keep->last)
            if (const int box = diagram().boxOf(*keep); box >= 0) keep = diagram().box(box).site;
    }
    draft_.select(keep);
}

void DraftDiagram::exportDiagram() {
    openExportDialog({tr("Export diagram"), pictureFilters(), draft_.name()}, this, [this](const QString& file) {
        DiagramOptions options = options_;
        options.selected.reset();
        try {
            writeDiagram(layoutDiagram(draft_, options), draft_.name(), file);
        } catch (const std::exception& error) {
            studio_.report(Problem{tr("Could not export the diagram: %1").arg(problemOf(error).what), file, {}, {}});
        }
    });
}

std::vector<QToolButton*> DraftDiagram::addTools(QToolBar& bar, QToolButton* over) {
    std::vector<QToolButton*> folding;
    for (QAction* action : {unfold, mark}) folding.push_back(addButton(bar, action, Qt::ToolButtonTextBesideIcon));
    bar.addWidget(over);
    bar.addSeparator();
    addButton(bar, zoomOutAction);
    QLabel* words = makeCaption(QStringLiteral("100 %"), &bar);
    words->setFont(numberFont(Type::Body));
    words->setMinimumWidth(px(42));
    words->setAlignment(Qt::AlignCenter);
    connect(this, &DiagramView::zoomChanged, words, [words](double now) { words->setText(tr("%1 %").arg(qRound(100 * now))); });
    bar.addWidget(words);
    for (QAction* action : {zoomInAction, fitAction}) addButton(bar, action);
    return folding;
}

void DraftDiagram::saveSession(QSettings& settings) const {
    settings.setValue(QStringLiteral("compose/mark"), mark->isChecked());
    settings.setValue(QStringLiteral("compose/carries"), carries->isChecked());
    QStringList unfolded;
    for (const auto& stack : options_.unfolded) unfolded << text(stack);
    settings.setValue(QStringLiteral("compose/unfolded"), unfolded);
}

void DraftDiagram::restoreSession(const QSettings& settings) {
    mark->setChecked(settings.value(QStringLiteral("compose/mark"), true).toBool());
    carries->setChecked(settings.value(QStringLiteral("compose/carries"), true).toBool());
    std::set<std::string> unfolded;
    for (const QString& stack : settings.value(QStringLiteral("compose/unfolded")).toStringList())
        unfolded.insert(stack.toStdString());
    setUnfolded(std::move(unfolded));
}

}  // namespace heddle::ui
