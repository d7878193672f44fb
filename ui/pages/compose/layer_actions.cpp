// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/layer_actions.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "ui/widgets/small_parts.h"

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
      copy(makeAction(this, {"copyLayer", tr("Copy layer"), Icon::Copy, QKeySequence::Copy}, [this] { copyLayer(); })),
      paste(makeAction(this, {"pasteLayer", tr("Paste layer"), {}, QKeySequence::Paste},
                       [this] {
                           if (site()) pasteLayer({site()->stack, numbersOf(*site())});
                       })),
      pasteOnto(makeAction(this, {"pasteLayerOnto", tr("Paste layer onto…"), {}, Qt::CTRL | Qt::SHIFT | Qt::Key_V},
                           [this] { pasteOntoNamed(); })),
      carryFrom(makeAction(this, {"carryScores", tr("Carry scores from…"), {}, Qt::Key_C}, [this] { showCarryMenu(); })),
      earlier(
          makeAction(this, {"moveSublayerUp", tr("Move sublayer up"), {}, Qt::ALT | Qt::Key_Up}, [this] { moveSublayer(-1); })),
      later(makeAction(this, {"moveSublayerDown", tr("Move sublayer down"), {}, Qt::ALT | Qt::Key_Down},
                       [this] { moveSublayer(1); })),
      draft_(draft),
      view_(view),
      studio_(studio),
      strip_(strip) {
    for (QAction* action : {copy, paste, pasteOnto, carryFrom}) {
        action->setShortcutContext(Qt::WidgetShortcut);
        view.addAction(action);
    }
    for (QAction* action : {earlier, later}) action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(&view, &DiagramView::menuRequested, this, &LayerActions::showMenu);
    for (const auto emitted : {&VariantDraft::changed, &VariantDraft::siteChanged})
        connect(&draft, emitted, this, &LayerActions::refresh);
    refresh();
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
    studio_.report(Problem{tr("Could not paste the layer: %1").arg(problem.what), problem.where, {}, problem.next});
}

void LayerActions::pasteLayer(const LayerChoice& to) {
    const QMimeData* copied = QGuiApplication::clipboard()->mimeData();
    const std::string words = copied && copied->hasText() ? copied->text().toStdString() : std::string();
    pasting_.ask(Pool{}, [document = draft_.document(), facts = draft_.facts(), words, to] {
        const Json layer = readLayerDocument(words);
        return Pasted{to, document, withLayer(document, *facts, layer, to),
                      unchangedSublayers(facts->variant, layer, to.stack)};
    });
}

void LayerActions::take(const Pasted& pasted) {
    if (pasted.before != draft_.document())  // pasting would undo the edit made since
        return reportNotPasted({tr("the draft was edited in the meantime"), draft_.name(), {}, tr("paste again")});
    const QString place = placeWords(pasted.to);
    draft_.replace(pasted.next, tr("Paste onto %1").arg(place));
    if (pasted.staying.isEmpty()) return strip_.hide();
    strip_.showMessage(
        {StripKind::Info, tr("The layer is pasted onto %1.").arg(place),
         tr("The copied layer has no %1; these sublayers are unchanged.").arg(pasted.staying.join(QStringLiteral(", ")))});
}

/// Asks the user for the numbers of the layers to paste onto.
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
    menu->setObjectName(QStringLiteral("layerMenu"));
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
    menu->setObjectName(QStringLiteral("carryMenu"));
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

/// The tool tip of a disabled action gives the reason.
void LayerActions::refresh() {
    const SlotSite* here = site();
    const SublayerIndex place = here ? placeOfSublayer(draft_.facts()->variant, *here) : SublayerIndex{};
    const QString stack = here ? text(here->stack) : QString(),
                  layers = here ? placeWords({here->stack, numbersOf(*here)}) : QString();
    const auto set = [here](QAction* action, bool isEnabled, const QString& tip, const QString& without) {
        action->setEnabled(here && isEnabled);
        action->setToolTip(here ? tip : without);
    };
    const QString all = tr("Moves the sublayer in all layers of the %1").arg(stack), noSublayer = tr("No sublayer is selected"),
                  noSlot = tr("No slot of a layer is selected");
    set(earlier, place.index > 0, place.index > 0 ? all : tr("This sublayer is the first of its layer"), noSublayer);
    const bool isLast = place.index + 1 >= place.count;
    set(later, !isLast, isLast ? tr("This sublayer is the last of its layer") : all, noSublayer);
    set(copy, true, tr("Copy the blocks of %1 as JSON").arg(layers), noSlot);
    set(paste, true, tr("Paste the copied layer onto %1").arg(layers), noSlot);
    set(pasteOnto, true, tr("Paste the copied layer onto chosen layers of the %1").arg(stack), noSlot);
    const QString noCarry = tr("Select the attention of a single layer that has earlier layers");
    const bool carries = carrySite().has_value();
    set(carryFrom, carries,
        carries ? tr("Choose the earlier layers whose scores are added to those of this attention") : noCarry, noCarry);
}

}  // namespace heddle::ui
