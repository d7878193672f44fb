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

/// Runs that differ in nothing but seed and name share a column.
std::vector<std::vector<RunPointer>> bySpecification(const std::vector<RunPointer>& runs) {
    std::vector<std::vector<RunPointer>> different;
    for (const auto& run : runs) {
        const auto same = std::find_if(different.begin(), different.end(), [&](const auto& others) {
            return run->variant && others.front()->variant == run->variant && others.front()->settings == run->settings;
        });
        if (same == different.end())
            different.push_back({run});
        else
            same->push_back(run);
    }
    return different;
}

QString labelOf(const std::vector<RunPointer>& runs) {
    if (runs.size() == 1) return runLabel(runs.front()->record);
    return Words::tr("%1, %2 seeds").arg(QString::fromStdString(runs.front()->record.name)).arg(runs.size());
}

}  // namespace

Differences differencesOf(const std::vector<RunPointer>& runs) {
    Differences result;
    std::vector<Json> documents;
    std::set<std::string> all;
    const auto different = bySpecification(runs);
    for (const auto& same : different) {
        const RunPointer& run = same.front();
        Json flat = Json::object();
        for (const auto* leaves : {run->settings.get(), run->variant.get()})
            if (leaves)
                for (const auto& [path, value] : *leaves) {
                    flat[path] = value;
                    all.insert(path);
                }
        documents.push_back(std::move(flat));
    }
    result.of = std::int64_t(all.size());
    result.table.columns << Words::tr("Path");
    for (const auto& same : different) {
        result.table.columns << labelOf(same);
        result.variants.push_back(same.front()->record.variantHash);
    }
    result.table.textColumns = int(different.size()) + 1;
    auto lines = joinLayers(diffDocuments(documents));
    // The model comes before its data and its training, as the first question of a comparison is about it.
    std::stable_partition(lines.begin(), lines.end(), isOfVariant);
    for (const auto& line : lines) {
        QStringList row{shownPath(line.path)};
        for (const auto& value : line.values) row << settingText(value);
        result.table.rows << row;
    }
    return result;
}

}  // namespace heddle::ui
