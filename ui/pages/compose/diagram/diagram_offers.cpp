// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram_offers.h"

#include "ui/pages/compose/diagram/diagram_view.h"

#include <QMenu>

namespace heddle::ui {

QString offerWords(const DiagramBox& box) {
    QStringList names;
    for (const auto& [site, words] : box.others) names << words;
    const QString list = names.join(QStringLiteral(", "));
    if (box.offer == DiagramBox::Offer::Add) return DiagramView::tr("add here: %1").arg(list);
    return DiagramView::tr("%Ln more slot(s), with the standard block: %1", nullptr, int(box.others.size())).arg(list);
}

QMenu* makeOfferMenu(const DiagramBox& box, QWidget* parent,
                     const std::function<void(const SlotSite& site, const std::string& block)>& chosen) {
    auto* menu = new QMenu(parent);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const bool adds = box.offer == DiagramBox::Offer::Add;
    menu->setAccessibleName(adds ? DiagramView::tr("Add here") : DiagramView::tr("More slots"));
    for (const auto& [site, words] : box.others) {
        if (!adds) {
            menu->addAction(words, parent, [chosen, site = site] { chosen(site, {}); });
            continue;
        }
        QMenu* blocks = menu->addMenu(words);
        blocks->setToolTipsVisible(true);
        for (const auto* block : builtinCatalogue().ofSlot(site.slot)) {
            if (holdsNothing({block->id, {}})) continue;
            QAction* action = blocks->addAction(QStringLiteral("%1  %2").arg(blockName(*block), text(block->title)), parent,
                                                [chosen, site = site, id = block->id] { chosen(site, id); });
            action->setToolTip(text(block->summary));
        }
    }
    return menu;
}

}  // namespace heddle::ui
