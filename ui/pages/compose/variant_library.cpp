// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/variant_library.h"

#include <QMenu>

#include <utility>

namespace heddle::ui {

VariantLibrary::VariantLibrary(const VariantDraft& draft, Studio& studio, QObject* parent)
    : QObject(parent), draft_(draft), studio_(studio) {
    connect(&studio.databases(), &Databases::currentChanged, this, &VariantLibrary::readSaved);
    connect(&studio.databases(), &Databases::changed, this, [this](int number) {
        if (isActive_ && number == studio_.databases().currentNumber()) readSaved();
    });
    reading_.ask(Pool{}, [assumed = draft.assumed()] { return readPresets(assumed); });
}

void VariantLibrary::setActive(bool active) {
    isActive_ = active;
    if (active) readSaved();
}

std::vector<PresetEntry> VariantLibrary::entries() const {
    std::vector<PresetEntry> all = saved();
    all.insert(all.end(), shipped_.begin(), shipped_.end());
    return all;
}

void VariantLibrary::readSaved() {
    const int database = studio_.databases().currentNumber();
    if (areSavedRead() && saved_->database != database) {  // what is listed can be deleted, in the current database
        saved_ = std::make_shared<const Saved>();
        Q_EMIT changed();
    }
    if (database == 0) return readingSaved_.cancel();
    readingSaved_.ask(studio_.databases().reader(database),
                      [database, known = saved_, assumed = draft_.assumed()](storage::RunQuery& query) {
                          return read(query, database, *known, assumed);
                      });
}

VariantLibrary::Saved VariantLibrary::read(storage::RunQuery& query, int database, const Saved& known,
                                           const AssumedVocabulary& assumed) {
    Saved saved{database, {}, {}};
    for (const auto& item : query.items(kVariantItem)) {
        std::size_t at = 0;
        while (at < known.entries.size() && (known.revs[at] != item.rev || known.entries[at].name != text(item.key))) ++at;
        saved.entries.push_back(at < known.entries.size() ? known.entries[at] : savedEntry(item.key, item.body, assumed));
        saved.revs.push_back(item.rev);
    }
    return saved;
}

void VariantLibrary::take(Saved saved) {
    reported_.succeeded({});
    if (saved.database != studio_.databases().currentNumber()) return;
    const bool isKnown = saved.database == saved_->database && saved.revs == saved_->revs;
    saved_ = std::make_shared<const Saved>(std::move(saved));
    if (!isKnown) Q_EMIT changed();
}

const PresetEntry* VariantLibrary::plain() const {
    const PresetEntry* plain = nullptr;
    for (const auto& entry : shipped_)
        if (entry.group == shipped_.front().group && entry.special.empty()) plain = &entry;
    return plain;
}

bool VariantLibrary::openFirst(VariantDraft& draft) const {
    const PresetEntry *usual = plain(), *special = nullptr;
    for (const auto& entry : shipped_)
        if (entry.group == shipped_.front().group && (!special || entry.special.size() > special->special.size()))
            special = &entry;
    if (!usual || !special) return false;
    if (!draft.baselineDocument().is_object()) draft.setBaseline(usual->document, usual->name);
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
