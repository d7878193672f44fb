// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/preset_model.h"

#include "engine/base/json.h"
#include "engine/base/resources.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/variant_schema.h"
#include "ui/pages/compose/draft/slot_site.h"
#include "ui/text/number.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QApplication>
#include <QPainter>
#include <QPixmap>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

namespace heddle::ui {
namespace {

void countInto(PresetEntry& entry, const AssumedVocabulary& assumed) {
    const Facts facts = factsOf(entry.document, assumed);
    if (!facts) return;
    entry.parameters = facts->cost.parameters;
    entry.stacks = int(stacksOf(facts->variant.topology).size());
    for (const auto& [path, module] : facts->modules) {
        const std::string slot = slotOfModule(path);
        const auto site = siteOfPath(path, facts->variant);
        const auto* choice = site ? choiceAt(facts->variant, *site) : nullptr;
        const SlotColour colour = familyOf(slot).colour;
        if (choice && choice->id != standardAt(*site) &&
            std::find(entry.special.begin(), entry.special.end(), colour) == entry.special.end())
            entry.special.push_back(colour);
    }
}

/// Merges groups of one paper with two names ("thesis", "Gated ResNet thesis"); papers with one preset share a group.
void gatherPapers(std::vector<PresetEntry>& entries) {
    std::map<QString, int> sizes;
    for (const auto& entry : entries) ++sizes[entry.group];
    for (auto& entry : entries) {
        for (const auto& [name, size] : sizes)
            if (name.endsWith(QLatin1Char(' ') + entry.group)) entry.group = name;
        if (entry.place != PresetEntry::Place::Paper || sizes[entry.group] > 1) continue;
        entry.group = PresetModel::tr("Other papers");
        entry.place = PresetEntry::Place::OtherPaper;
    }
}

/// A small picture of the stacks: bars in the colours of special slots, grey without any.
QPixmap thumbnail(const PresetEntry& entry) {
    const double scale = qApp->devicePixelRatio();
    QPixmap picture(QSize(px(22), px(16)) * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    for (int stack = 0; stack < entry.stacks; ++stack)
        for (int bar = 0; bar < 3; ++bar) {
            QColor color = Theme::color(Token::Text2);
            if (bar > 0 && bar <= int(entry.special.size())) color = Theme::color(entry.special[std::size_t(bar - 1)]);
            painter.fillRect(QRect(entry.stacks == 1 ? px(6) : stack * px(12), px(2) + bar * px(5), px(9), px(3)), color);
        }
    return picture;
}

}  // namespace

std::map<std::string, Json> readSampleSpecs() {
    const std::filesystem::path folder = resourcePath("sample");
    std::map<std::string, Json> specs;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() != ".json") continue;
        Json document = readJsonFile(file.path().string());
        for (const char* split : {"train", "valid", "test"})
            for (const char* side : {"source", "target"}) {
                const Json::json_pointer at(std::string("/data/") + split + "/" + side);
                if (document.contains(at))
                    document[at] = (folder / document[at].get<std::string>()).lexically_normal().string();
            }
        specs.emplace(file.path().stem().string(), std::move(document));
    }
    return specs;
}

std::vector<PresetEntry> readPresets(const AssumedVocabulary& assumed) {
    std::vector<PresetEntry> entries;
    for (const auto& [name, document] : readSampleSpecs()) {
        PresetEntry entry;
        entry.document = document;
        entry.name = text(name) + QStringLiteral("-sample");
        entry.document.erase("name");  // the draft has the name
        entry.group = PresetModel::tr("Sample corpus, small");
        entry.place = PresetEntry::Place::Sample;
        entry.summary = PresetModel::tr("Run spec of the sample corpus: trains in minutes on a CPU.");
        countInto(entry, assumed);
        entries.push_back(std::move(entry));
    }
    for (const auto& name : presetNames()) {
        PresetEntry entry;
        const Json meta = presetDocument(name).value("meta", Json::object());
        const std::string reference = meta.value("reference", "");
        entry.name = text(name);
        entry.summary = text(meta.value("title", "") + ". " + meta.value("summary", "") + "\n" + reference);
        entry.group = text(reference.substr(0, reference.find_first_of(",;")));
        entry.place = PresetEntry::Place::Paper;
        entry.document = Json{{"variant", {{"preset", name}}}};
        countInto(entry, assumed);
        entries.push_back(std::move(entry));
    }
    gatherPapers(entries);
    return entries;
}

PresetEntry savedEntry(const std::string& key, const std::string& body, const AssumedVocabulary& assumed) {
    PresetEntry entry;
    entry.name = text(key);
    entry.group = PresetModel::tr("Saved in this database");
    entry.document = asRunDocument(parseJson(body, "saved variant " + key));
    entry.isSaved = true;
    entry.place = PresetEntry::Place::Saved;
    countInto(entry, assumed);
    return entry;
}

PresetModel::PresetModel() : QStandardItemModel(0, 2) {}

void PresetModel::setEntries(std::vector<PresetEntry> entries) {
    std::stable_sort(entries.begin(), entries.end(), [](const PresetEntry& a, const PresetEntry& b) {
        return std::tie(a.place, a.group, a.name) < std::tie(b.place, b.group, b.name);
    });
    removeRows(0, rowCount());
    entries_ = std::move(entries);
    QList<QStandardItem*> groups;
    for (int i = 0; i < int(entries_.size()); ++i) {
        const QString& title = entries_[std::size_t(i)].group;
        if (groups.isEmpty() || groups.back()->text() != title) groups << new QStandardItem(title);
        auto* row = new QStandardItem;
        row->setData(i);
        groups.back()->appendRow({row, new QStandardItem});
    }
    for (QStandardItem* group : groups) appendRow({group, new QStandardItem});
}

void PresetModel::refresh(const QList<int>& roles) {
    for (int row = 0; row < rowCount(); ++row) {
        const QModelIndex group = index(row, 0);
        Q_EMIT dataChanged(index(0, 0, group), index(rowCount(group) - 1, 1, group), roles);
    }
}

void PresetModel::setPinned(const QString& name) {
    if (std::exchange(pinned_, name) != name) refresh({Qt::DecorationRole, Qt::AccessibleTextRole});
}

void PresetModel::setCounts(Counts counts) {
    if (std::exchange(counts_, counts) != counts) refresh({Qt::DisplayRole, Qt::DecorationRole});
}

const PresetEntry* PresetModel::entry(const QModelIndex& index) const {
    if (!index.parent().isValid()) return nullptr;
    return &entries_[std::size_t(QStandardItemModel::data(index.siblingAtColumn(0), Qt::UserRole + 1).toInt())];
}

QVariant PresetModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const PresetEntry* found = entry(index);
    const bool first = index.column() == 0;
    if (!found) return role == Qt::FontRole ? QVariant(strongFont(Type::Body)) : QStandardItemModel::data(index, role);
    switch (role) {
    case Qt::DisplayRole:
        if (first) return found->name;
        return counts_ == Counts::Hidden ? QString() : found->parameters < 0 ? QString(kNoValue) : count(found->parameters);
    case Qt::DecorationRole:
        if (first && !(counts_ == Counts::Hidden && found->name == pinned_)) return thumbnail(*found);
        return found->name == pinned_ ? QVariant(themeIcon(Icon::Pin, Token::Accent)) : QVariant();
    case Qt::TextAlignmentRole: return first ? QVariant() : QVariant(int(Qt::AlignRight | Qt::AlignVCenter));
    case Qt::FontRole: return first ? QVariant() : QVariant(numberFont(Type::Body));
    case Qt::ToolTipRole:
        if (found->parameters < 0) return found->summary;
        return PresetModel::tr("%1\n%2\n%3 parameters").arg(found->name, found->summary, count(found->parameters));
    case Qt::AccessibleTextRole:
        return first && found->name == pinned_ ? QVariant(PresetModel::tr("%1, pinned baseline").arg(found->name)) : QVariant();
    default: return {};
    }
}

}  // namespace heddle::ui
