// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/layer_actions.h"

#include "engine/base/error.h"
#include "ui/theme/icons.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QInputDialog>
#include <QMenu>
#include <QMimeData>

#include <algorithm>
#include <numeric>

namespace heddle::ui {
namespace {

std::vector<int> numbersOf(const SlotSite& site) {
    std::vector<int> layers(std::size_t(site.last - site.first + 1));
    std::iota(layers.begin(), layers.end(), site.first);
    return layers;
}

QString placeWords(const LayerChoice& layers) {
    return LayerActions::tr("%1 layers %2").arg(text(layers.stack), layersText(layers.layers));
}

}  // namespace

LayerActions::LayerActions(VariantDraft& draft, DiagramView& view, Studio& studio, MessageStrip& strip)
    : QObject(&view),
      copy(make(tr("Copy layer"), QKeySequence::Copy)),
      paste(make(tr("Paste layer"), QKeySequence::Paste)),
      pasteOnto(make(tr("Paste layer onto…"), Qt::CTRL | Qt::SHIFT | Qt::Key_V)),
      carryFrom(make(tr("Carry scores from…"), Qt::Key_C)),
      earlier(make(tr("Move sublayer up"), Qt::ALT | Qt::Key_Up)),
      later(make(tr("Move sublayer down"), Qt::ALT | Qt::Key_Down)),
      draft_(draft),
      view_(view),
      studio_(studio),
      strip_(strip) {
    copy->setIcon(themeIcon(Icon::Copy));
    view.addActions({copy, paste, pasteOnto, carryFrom});
    for (QAction* action : {earlier, later}) action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(copy, &QAction::triggered, this, &LayerActions::copyLayer);
    connect(paste, &QAction::triggered, this, [this] {
        if (site()) pasteLayer({site()->stack, numbersOf(*site())});
    });
    connect(pasteOnto, &QAction::triggered, this, &LayerActions::pasteOntoNamed);
    connect(carryFrom, &QAction::triggered, this, &LayerActions::showCarryMenu);
    connect(earlier, &QAction::triggered, this, [this] { moveSublayer(-1); });
    connect(later, &QAction::triggered, this, [this] { moveSublayer(1); });
    connect(&view, &DiagramView::menuRequested, this, &LayerActions::showMenu);
    for (const auto news : {&VariantDraft::changed, &VariantDraft::siteChanged})
        connect(&draft, news, this, &LayerActions::refresh);
    refresh();
}

QAction* LayerActions::make(const QString& words, const QKeySequence& key) {
    auto* action = new QAction(words, this);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    return action;
}

const SlotSite* LayerActions::site() const {
    return draft_.facts() && draft_.site() && draft_.site()->hasLayers() ? &*draft_.site() : nullptr;
}

void LayerActions::moveSublayer(int by) {
    if (!site()) return;
    const auto place = placeOfSublayer(draft_.facts()->variant, *site());
    draft_.moveSublayer({site()->stack, site()->sublayer}, place.index + by);
}

void LayerActions::copyLayer() const {
    if (!site()) return;
    const Json layer = layerDocument(draft_.facts()->variant, site()->stack, site()->first);
    QGuiApplication::clipboard()->setText(text(layer.dump(2) + "\n"));
}

void LayerActions::reportNotPasted(const Problem& problem) {
    studio_.report(Problem{tr("No layer was pasted: %1").arg(problem.what), problem.where, {}, problem.next});
}

void LayerActions::pasteLayer(const LayerChoice& to) {
    const QMimeData* copied = QGuiApplication::clipboard()->mimeData();
    const std::string words = copied && copied->hasText() ? copied->text().toStdString() : std::string();
    pasting_.ask(Pool{}, [document = draft_.document(), facts = draft_.facts(), words, to] {
        const Json layer = readLayerDocument(words);
        return Pasted{to, document, withLayer(document, *facts, layer, to), sublayersThatStay(facts->variant, layer, to.stack)};
    });
}

void LayerActions::take(const Pasted& pasted) {
    if (pasted.before != draft_.document())  // it would take the edit back that came meanwhile
        return reportNotPasted({tr("the draft was edited meanwhile"), draft_.name(), {}, tr("paste again")});
    const QString place = placeWords(pasted.to);
    draft_.replace(pasted.next, tr("Paste onto %1").arg(place));
    if (pasted.staying.isEmpty()) return strip_.hide();
    strip_.showMessage(
        {StripKind::Info, tr("The layer is pasted onto %1.").arg(place),
         tr("The copied layer has no %1: there it stays as it was.").arg(pasted.staying.join(QStringLiteral(", ")))});
}

/// Asks for the numbers of the layers: those to paste onto may be drawn apart.
void LayerActions::pasteOntoNamed() {
    if (!site()) return;
    const std::string stack = site()->stack;
    const int count = int(layersOf(draft_.facts()->variant, stack).size());
    auto* dialog = new QInputDialog(&view_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Paste layer onto"));
    dialog->setLabelText(tr("Layers of the %1, 0 to %2, such as 0–1, 3").arg(text(stack)).arg(count - 1));
    dialog->setTextValue(layersText(numbersOf(*site())));
    dialog->setOkButtonText(tr("Paste"));
    connect(dialog, &QInputDialog::textValueSelected, this, [this, stack, count](const QString& words) {
        try {
            pasteLayer({stack, readLayers(words, count)});
        } catch (const Error& error) {
            reportNotPasted(problemOf(error));
        }
    });
    dialog->open();
}

void LayerActions::showMenu(const QPoint& place) {
    auto* menu = new QMenu(&view_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(tr("Layer"));
    menu->addActions({copy, paste, pasteOnto});
    menu->addSeparator();
    menu->addActions({carryFrom, earlier, later});
    menu->popup(place);
}

std::optional<SlotSite> LayerActions::carrySite() const {
    if (!site() || site()->first != site()->last || site()->first == 0) return std::nullopt;
    SlotSite score = *site();
    score.slot = "score";
    return choiceAt(draft_.facts()->variant, score) ? std::optional(score) : std::nullopt;
}

void LayerActions::showCarryMenu() {
    const auto score = carrySite();
    if (!score) return;
    auto* menu = new QMenu(&view_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(tr("Carry scores from"));
    const auto offsets = carriedFrom(*choiceAt(draft_.facts()->variant, *score));
    for (int offset = 1; offset <= score->first; ++offset) {
        QAction* action = menu->addAction(tr("layer %1").arg(score->first - offset), this, [this, score, offset] {
            draft_.toggleCarry(*score, offset);
            draft_.select(score);
        });
        action->setCheckable(true);
        action->setChecked(std::find(offsets.begin(), offsets.end(), offset) != offsets.end());
    }
    menu->popup(view_.menuPlace());
}

/// The tool tip of a disabled action says why it is disabled.
void LayerActions::refresh() {
    const SlotSite* here = site();
    const SublayerIndex place = here ? placeOfSublayer(draft_.facts()->variant, *here) : SublayerIndex{};
    const QString stack = here ? text(here->stack) : QString(),
                  layers = here ? placeWords({here->stack, numbersOf(*here)}) : QString();
    const auto set = [here](QAction* action, bool isEnabled, const QString& tip, const QString& without) {
        action->setEnabled(here && isEnabled);
        action->setToolTip(here ? tip : without);
    };
    const QString all = tr("In all layers of the %1").arg(stack), noSublayer = tr("No sublayer is selected"),
                  noSlot = tr("No slot of a layer is selected");
    set(earlier, place.index > 0, place.index > 0 ? all : tr("It is the first of its layer"), noSublayer);
    const bool isLast = place.index + 1 >= place.count;
    set(later, !isLast, isLast ? tr("It is the last of its layer") : all, noSublayer);
    set(copy, true, tr("The blocks of %1, as JSON").arg(layers), noSlot);
    set(paste, true, tr("The copied layer, onto %1").arg(layers), noSlot);
    set(pasteOnto, true, tr("The copied layer, onto layers of the %1 that you name").arg(stack), noSlot);
    const QString noCarry = tr("No attention of one layer with earlier ones is selected");
    const bool carries = carrySite().has_value();
    set(carryFrom, carries, carries ? tr("The earlier layers whose scores this attention adds to its own") : noCarry, noCarry);
}

}  // namespace heddle::ui
