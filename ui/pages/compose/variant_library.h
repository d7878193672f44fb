// SPDX-License-Identifier: GPL-3.0-or-later
// What a draft can start from: presets and samples, and the variants saved in the current database.
#pragma once

#include "ui/data/studio.h"
#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/compose/panels/preset_model.h"
#include "ui/threads/query.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

class QMenu;

namespace heddle::ui {

/// Kind of the database's items that hold variants.
inline constexpr char kVariantItem[] = "variant";

class VariantLibrary : public QObject {
    Q_OBJECT

public:
    /// Reads presets and samples at once, counted with the sizes that the draft assumes.
    VariantLibrary(const VariantDraft& draft, Studio& studio, QObject* parent);

    /// Empty until they are read.
    const std::vector<PresetEntry>& shipped() const { return shipped_; }
    const std::vector<PresetEntry>& saved() const { return saved_->entries; }
    bool areSavedRead() const { return saved_->database != 0; }
    /// All of them, the saved ones first.
    std::vector<PresetEntry> entries() const;
    void readSaved();
    /// While it is active, it reads the saved variants again when the current database changes.
    void setActive(bool active);
    /// The variant without special blocks in the first group of presets. Drafts are compared with it while no baseline is
    /// pinned. Null until the presets are read.
    const PresetEntry* plain() const;
    /// Opens the variant with the most special blocks in the first group of presets as the draft. A draft without a baseline
    /// gets plain() as its baseline. Returns false while there is no such variant or no plain().
    bool openFirst(VariantDraft& draft) const;
    /// Fills a menu with entries, in a section for each group; `add` adds the action of one.
    static void fill(QMenu& menu, const std::vector<PresetEntry>& entries,
                     const std::function<void(QMenu&, const PresetEntry&)>& add);

Q_SIGNALS:
    void changed();

private:
    struct Saved {
        int database = 0;  ///< number of the database that they were read from; 0: none
        std::vector<PresetEntry> entries;
        std::vector<std::int64_t> revs;  ///< of the items, in the order of the entries
    };
    /// Parses and counts only new and changed variants; takes those with an unchanged rev from `known`.
    static Saved read(storage::RunQuery& query, int database, const Saved& known, const AssumedVocabulary& assumed);
    void take(Saved saved);

    const VariantDraft& draft_;
    Studio& studio_;
    bool isActive_ = false;
    std::vector<PresetEntry> shipped_;
    std::shared_ptr<const Saved> saved_ = std::make_shared<const Saved>();
    Query<std::vector<PresetEntry>> reading_{this, [this](Result<std::vector<PresetEntry>> read) {
                                                 if (!read) return studio_.report(read.problem());
                                                 shipped_ = std::move(*read);
                                                 Q_EMIT changed();
                                             }};
    ReportedProblems reported_;
    Query<Saved> readingSaved_{this, [this](Result<Saved> read) {
                                   if (read) return take(std::move(*read));
                                   if (reported_.isNew({}, read.problem())) studio_.report(read.problem());
                               }};
};

}  // namespace heddle::ui
