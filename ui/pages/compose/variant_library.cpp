// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/variant_library.h"

#include <QMenu>

#include <algorithm>
#include <utility>

namespace heddle::ui {

VariantLibrary::VariantLibrary(const VariantDraft& draft, Studio& studio, QObject* parent)
    : QObject(parent), draft_(draft), studio_(studio) {
    connect(&studio.databases(), &Databases::currentChanged, this, &VariantLibrary::readSaved);
    reading_.ask(Pool{}, [assumed = draft.assumed()] { return readPresets(assumed); });
}

void VariantLibrary::readSaved() {
    const int database = studio_.databases().currentNumber();
    if (database == 0) {
        readingSaved_.cancel();
        saved_.clear();
        savedOf_ = 0;
        return Q_EMIT changed();
    }
    readingSaved_.ask(studio_.databases().reader(database), [database, assumed = draft_.assumed()](storage::RunQuery& query) {
        Saved saved{database, {}};
        for (const auto& item : query.items(kVariantItem)) saved.entries.push_back(savedEntry(item.key, item.body, assumed));
        return saved;
    });
}

void VariantLibrary::take(Saved saved) {
    told_.succeeded({});
    if (saved.database != studio_.databases().currentNumber()) return;
    const auto same = [](const PresetEntry& a, const PresetEntry& b) { return a.name == b.name && a.document == b.document; };
    const bool isKnown = std::equal(saved.entries.begin(), saved.entries.end(), saved_.begin(), saved_.end(), same) &&
                         savedOf_ == saved.database;
    savedOf_ = saved.database;
    if (isKnown) return;
    saved_ = std::move(saved.entries);
    Q_EMIT changed();
}

bool VariantLibrary::openFirst(VariantDraft& draft) const {
    const PresetEntry *plain = nullptr, *special = nullptr;
    for (const auto& entry : shipped_) {
        if (entry.group != shipped_.front().group) continue;
        if (entry.special.empty()) plain = &entry;
        if (!special || entry.special.size() > special->special.size()) special = &entry;
    }
    if (!plain || !special) return false;
    if (!draft.baselineDocument().is_object()) draft.setBaseline(plain->document, plain->name);
    draft.open(special->document, special->name);
    return true;
}

void VariantLibrary::fill(QMenu& menu, const std::vector<PresetEntry>& entries,
                          const std::function<void(QMenu&, const PresetEntry&)>& add) {
    menu.setEnabled(!entries.empty());
    QString group;
    for (const auto& entry : entries) {
        if (entry.group != group && !entry.isSaved) menu.addSection(group = entry.group);
        add(menu, entry);
    }
}

}  // namespace heddle::ui
