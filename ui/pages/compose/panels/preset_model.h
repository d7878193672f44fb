// SPDX-License-Identifier: GPL-3.0-or-later
// What a draft can start from: presets, run specs of the sample corpus, variants saved in the database; by group, with counts.
#pragma once

#include "ui/pages/compose/draft/draft_facts.h"
#include "ui/theme/tokens.h"

#include <QAbstractItemModel>
#include <QString>

#include <map>

namespace heddle::ui {

/// One document to start from.
struct PresetEntry {
    enum class Place { Saved, Sample, Paper, OtherPaper };  ///< of its group in the list
    QString name, group, summary;
    Json document;
    std::int64_t parameters = -1;     ///< -1: it is not valid
    std::vector<SlotColour> special;  ///< slots that hold another block than the schema's default, for the thumbnail
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

class PresetModel : public QAbstractItemModel {
    Q_OBJECT

public:
    using QAbstractItemModel::QAbstractItemModel;

    void setEntries(std::vector<PresetEntry> entries);
    /// Marks the entries of this name with the pin.
    void setPinned(const QString& name);
    enum class Counts { Shown, Hidden };
    /// A narrow list hides the counts, so that names fit: they stand in the tool tips then, and the pin replaces the thumbnail.
    void setCounts(Counts counts);
    const PresetEntry* entry(const QModelIndex& index) const;  ///< null for a group

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& = {}) const override { return 2; }
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<PresetEntry> entries_;  ///< a group's entries stand together
    QString pinned_;
    Counts counts_ = Counts::Shown;
    struct Group {
        QString title;
        int first, count;
    };
    std::vector<Group> groups_;
};

}  // namespace heddle::ui
