// SPDX-License-Identifier: GPL-3.0-or-later
// Moves, copies and pastes whole layers and sublayers.
#include "engine/base/error.h"
#include "ui/pages/compose/compose_page.h"
#include "ui/pages/compose/draft/layer_clipboard.h"
#include "ui/theme/icons.h"
#include "ui/threads/background.h"

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

}  // namespace

void ComposePage::makeLayerActions() {
    const auto make = [this](const QString& words, const QKeySequence& key, Qt::ShortcutContext context) {
        auto* action = new QAction(words, this);
        action->setShortcut(key);
        action->setShortcutContext(context);
        return action;
    };
    earlier_ = make(tr("Move sublayer up"), Qt::ALT | Qt::Key_Up, Qt::WidgetWithChildrenShortcut);
    later_ = make(tr("Move sublayer down"), Qt::ALT | Qt::Key_Down, Qt::WidgetWithChildrenShortcut);
    addActions({earlier_, later_});
    copyLayer_ = make(tr("Copy layer"), QKeySequence::Copy, Qt::WidgetShortcut);
    copyLayer_->setIcon(themeIcon(Icon::Copy));
    pasteLayer_ = make(tr("Paste layer"), QKeySequence::Paste, Qt::WidgetShortcut);
    pasteOnto_ = make(tr("Paste layer onto…"), Qt::CTRL | Qt::SHIFT | Qt::Key_V, Qt::WidgetShortcut);
    carryFrom_ = make(tr("Carry scores from…"), Qt::Key_C, Qt::WidgetShortcut);
    connect(carryFrom_, &QAction::triggered, this, &ComposePage::showCarryMenu);
    connect(earlier_, &QAction::triggered, this, [this] { moveSublayer(-1); });
    connect(later_, &QAction::triggered, this, [this] { moveSublayer(1); });
    connect(copyLayer_, &QAction::triggered, this, &ComposePage::copyLayer);
    connect(pasteLayer_, &QAction::triggered, this, [this] {
        if (site_ && site_->hasLayers()) pasteLayer({site_->stack, numbersOf(*site_)});
    });
    connect(pasteOnto_, &QAction::triggered, this, &ComposePage::pasteOntoNamed);
    refreshLayerActions();
}

void ComposePage::moveSublayer(int by) {
    if (!site_ || !site_->hasLayers() || !draft_.facts()) return;
    const auto place = placeOfSublayer(draft_.facts()->variant, *site_);
    draft_.moveSublayer({site_->stack, site_->sublayer}, place.index + by);
}

void ComposePage::copyLayer() {
    if (!site_ || !site_->hasLayers() || !draft_.facts()) return;
    const Json layer = layerDocument(draft_.facts()->variant, site_->stack, site_->first);
    QGuiApplication::clipboard()->setText(QString::fromStdString(layer.dump(2) + "\n"));
}

void ComposePage::reportNotPasted(const Problem& problem) {
    studio().report(Problem{tr("No layer was pasted: %1").arg(problem.what), problem.where, {}, problem.next});
}

void ComposePage::pasteLayer(const LayerChoice& to) {
    const QMimeData* copied = QGuiApplication::clipboard()->mimeData();
    const std::string words = copied && copied->hasText() ? copied->text().toStdString() : std::string();
    ++reading_;
    struct Pasted {
        Json before, next;
        QStringList staying;
    };
    const auto failed = [this](const Problem& problem) {
        --reading_;
        reportNotPasted(problem);
    };
    inBackground(
        this,
        [document = draft_.document(), facts = draft_.facts(), words, to] {
            const Json layer = readLayerDocument(words);
            return Pasted{document, withLayer(document, *facts, layer, to), sublayersThatStay(facts->variant, layer, to.stack)};
        },
        [this, to, failed](const Pasted& pasted) {
            if (pasted.before != draft_.document())  // it would take the edit back that came meanwhile
                return failed({tr("the draft was edited meanwhile"), draft_.name(), {}, tr("paste again")});
            --reading_;
            const QString place = tr("%1 layers %2").arg(QString::fromStdString(to.stack), layersText(to.layers));
            draft_.replace(pasted.next, tr("Paste onto %1").arg(place));
            if (pasted.staying.isEmpty()) return strip_->hide();
            strip_->showMessage(
                {StripKind::Info, tr("The layer is pasted onto %1.").arg(place),
                 tr("The copied layer has no %1: there it stays as it was.").arg(pasted.staying.join(QStringLiteral(", ")))});
        },
        failed);
}

/// Asks for the numbers of the layers: those to paste onto may be drawn apart.
void ComposePage::pasteOntoNamed() {
    if (!site_ || !site_->hasLayers() || !draft_.facts()) return;
    const std::string stack = site_->stack;
    const int count = int(layersOf(draft_.facts()->variant, stack).size());
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Paste layer onto"));
    dialog->setLabelText(tr("Layers of the %1, 0 to %2, such as 0–1, 3").arg(QString::fromStdString(stack)).arg(count - 1));
    dialog->setTextValue(layersText(numbersOf(*site_)));
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

void ComposePage::showLayerMenu(const QPoint& place) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(tr("Layer"));
    menu->addActions({copyLayer_, pasteLayer_, pasteOnto_});
    menu->addSeparator();
    menu->addActions({carryFrom_, earlier_, later_});
    menu->popup(place);
}

std::optional<SlotSite> ComposePage::carrySite() const {
    if (!site_ || !site_->hasLayers() || !draft_.facts() || site_->first != site_->last || site_->first == 0)
        return std::nullopt;
    SlotSite score = *site_;
    score.slot = "score";
    return choiceAt(draft_.facts()->variant, score) ? std::optional(score) : std::nullopt;
}

void ComposePage::showCarryMenu() {
    const auto score = carrySite();
    if (!score) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(tr("Carry scores from"));
    const auto offsets = carriedFrom(*choiceAt(draft_.facts()->variant, *score));
    for (int offset = 1; offset <= score->first; ++offset) {
        QAction* action = menu->addAction(tr("layer %1").arg(score->first - offset), this, [this, score, offset] {
            draft_.toggleCarry(*score, offset);
            setSite(*score);
        });
        action->setCheckable(true);
        action->setChecked(std::find(offsets.begin(), offsets.end(), offset) != offsets.end());
    }
    const int box = view_->currentBox();
    const QRectF at = box < 0 ? QRectF() : view_->diagram().box(box).rect;
    menu->popup(view_->viewport()->mapToGlobal(view_->mapFromScene(at.bottomLeft())));
}

/// The tool tip of a disabled action says why it is disabled.
void ComposePage::refreshLayerActions() {
    const bool has = site_ && site_->hasLayers() && draft_.facts();
    const SublayerIndex place = has ? placeOfSublayer(draft_.facts()->variant, *site_) : SublayerIndex{};
    earlier_->setEnabled(has && place.index > 0);
    later_->setEnabled(has && place.index + 1 < place.count);
    const QString none = tr("No sublayer is selected");
    const QString all = has ? tr("In all layers of the %1").arg(QString::fromStdString(site_->stack)) : none;
    earlier_->setToolTip(has && !earlier_->isEnabled() ? tr("It is the first of its layer") : all);
    later_->setToolTip(has && !later_->isEnabled() ? tr("It is the last of its layer") : all);
    carryFrom_->setEnabled(carrySite().has_value());
    carryFrom_->setToolTip(carryFrom_->isEnabled() ? tr("The earlier layers whose scores this attention adds to its own")
                                                   : tr("No attention of one layer with earlier ones is selected"));
    for (QAction* action : {copyLayer_, pasteLayer_, pasteOnto_}) {
        action->setEnabled(has);
        if (!has) action->setToolTip(tr("No slot of a layer is selected"));
    }
    if (!has) return;
    const QString here = tr("%1 layers %2").arg(QString::fromStdString(site_->stack), layersText(numbersOf(*site_)));
    copyLayer_->setToolTip(tr("The blocks of %1, as JSON").arg(here));
    pasteLayer_->setToolTip(tr("The copied layer, onto %1").arg(here));
    pasteOnto_->setToolTip(
        tr("The copied layer, onto layers of the %1 that you name").arg(QString::fromStdString(site_->stack)));
}

}  // namespace heddle::ui
