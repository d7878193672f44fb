// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/spec_differences.h"

#include "engine/spec/diff.h"
#include "ui/data/studio.h"
#include "ui/pages/compare/columns.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace heddle::ui {
namespace {

/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Differences)
};

bool isOfVariant(const SpecDifference& difference) { return difference.path.starts_with("variant."); }

/// Seeds of one group share a column.
std::vector<std::vector<RunPointer>> byGroup(const std::vector<RunPointer>& runs) {
    std::vector<std::vector<RunPointer>> different;
    for (const auto& run : runs) {
        const auto same = std::find_if(different.begin(), different.end(), [&](const auto& others) {
            return run->variant && others.front()->record.groupKey == run->record.groupKey;
        });
        if (same == different.end())
            different.push_back({run});
        else
            same->push_back(run);
    }
    return different;
}

QString textAt(const SpecDifference& line, std::size_t i) {
    return line.contents.empty() ? settingText(line.values[i]) : fileText(line.values[i], line.contents[i]);
}

QString labelOf(const std::vector<RunPointer>& runs, const std::map<std::string, QString>& names) {
    const Run& first = runs.front()->record;
    if (runs.size() == 1) return runLabel(first);
    std::set<std::uint64_t> seeds;
    for (const auto& run : runs) seeds.insert(run->record.seed);
    const auto found = names.find(first.groupKey);
    const QString name = found == names.end() ? QString::fromStdString(first.name) : found->second;
    return Words::tr("%1, %2 seeds").arg(name).arg(seeds.size());
}

}  // namespace

Differences differencesOf(const std::vector<RunPointer>& runs, const std::map<std::string, QString>& names) {
    Differences result;
    std::vector<Json> documents;
    std::vector<FileContents> contents;
    std::set<std::string> all;
    const auto different = byGroup(runs);
    for (const auto& same : different) {
        const RunPointer& run = same.front();
        documents.push_back(run->settingsDocument());
        contents.push_back(run->contents);
        for (const auto& [path, value] : documents.back().items()) all.insert(path);
    }
    result.of = std::int64_t(all.size());
    result.table.columns << Words::tr("Path");
    for (const auto& same : different) {
        result.table.columns << labelOf(same, names);
        result.groups.push_back(same.front()->record.groupKey);
    }
    result.table.textColumns = int(different.size()) + 1;
    auto lines = joinLayers(diffDocuments(documents, contents));
    // The model comes before its data and its training, as the first question of a comparison is about it.
    std::stable_partition(lines.begin(), lines.end(), isOfVariant);
    for (const auto& line : lines) {
        QStringList row{shownPath(line.path)};
        for (std::size_t i = 0; i < line.values.size(); ++i) row << textAt(line, i);
        result.table.rows << row;
    }
    return result;
}

}  // namespace heddle::ui
