// SPDX-License-Identifier: GPL-3.0-or-later
// The documents that a draft can start from: presets, run specs of the sample corpus and saved variants, in groups, with
// counts.
#pragma once

#include "engine/spec/draft_facts.h"
#include "ui/theme/tokens.h"

#include <QStandardItemModel>

#include <map>

namespace heddle::ui {

/// One document to start from.
struct PresetEntry {
    enum class Place { Saved, Sample, Paper, OtherPaper };  ///< of its group in the list
    QString name, group, summary;
    Json document;
    std::int64_t parameters = -1;     ///< -1: it is invalid
    std::vector<SlotColour> special;  ///< colours of slots with another block than the schema's default, for the thumbnail
    int stacks = 2;                   ///< for the thumbnail
    bool isSaved = false;
    Place place = Place::Paper;
};

/// The run specs of the sample corpus by name, with absolute paths of its data files. Throws where they cannot be read.
std::map<std::string, Json> readSampleSpecs();
/// Every preset and sample spec of the resources, counted. Reads files: not on the GUI thread.
std::vector<PresetEntry> readPresets(const AssumedVocabulary& assumed);
/// The same for one saved document.
PresetEntry savedEntry(const std::string& key, const std::string& body, const AssumedVocabulary& assumed);

class PresetModel : public QStandardItemModel {
    Q_OBJECT

public:
    PresetModel();
    void setEntries(std::vector<PresetEntry> entries);
    /// Marks the entries of this name with the pin.
    void setPinned(const QString& name);
    enum class Counts { Shown, Hidden };
    /// A narrow list hides the counts, so that names fit. The tool tips show them, and the pin replaces the thumbnail.
    void setCounts(Counts counts);
    const PresetEntry* entry(const QModelIndex& index) const;  ///< null for a group

    Qt::ItemFlags flags(const QModelIndex& index) const override {
        return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
    }
    QVariant data(const QModelIndex& index, int role) const override;

private:
    /// Emits dataChanged() with these roles for all entries.
    void refresh(const QList<int>& roles);

    std::vector<PresetEntry> entries_;
    QString pinned_;
    Counts counts_ = Counts::Shown;
};

}  // namespace heddle::ui
