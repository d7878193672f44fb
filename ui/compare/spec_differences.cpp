// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/spec_differences.h"

#include "engine/spec/diff.h"
#include "ui/compare/columns.h"
#include "ui/shell/studio.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace heddle::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("heddle::ui::Differences", text); }

struct Joined {
    std::string before, layers, after;
    std::vector<Json> values;
};

/// "encoder.layers.0.self.residual.kind" in its three parts; `layers` is empty where there is no number.
Joined split(const SpecDifference& difference) {
    constexpr std::string_view kLayers = ".layers.";
    const std::string& path = difference.path;
    const auto at = path.find(kLayers);
    if (at == std::string::npos) return {path, "", "", difference.values};
    const auto number = at + kLayers.size(), end = path.find('.', number);
    if (end == std::string::npos) return {path, "", "", difference.values};
    return {path.substr(0, number), path.substr(number, end - number), path.substr(end), difference.values};
}

/// Differences that repeat from layer to layer take one line.
std::vector<Joined> joined(const std::vector<SpecDifference>& differences) {
    std::vector<Joined> lines;
    for (const auto& difference : differences) {
        Joined one = split(difference);
        const auto same = std::find_if(lines.begin(), lines.end(), [&](const Joined& line) {
            return !one.layers.empty() && line.before == one.before && line.after == one.after && line.values == one.values;
        });
        if (same == lines.end())
            lines.push_back(std::move(one));
        else
            same->layers += "," + one.layers;
    }
    return lines;
}

QString shownPath(const Joined& line) {
    std::string path = line.before + line.layers + line.after;
    constexpr std::string_view kVariant = "variant.";
    if (path.rfind(kVariant, 0) == 0) path = path.substr(kVariant.size());
    return QString::fromStdString(path);
}

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
    return tr("%1, %2 seeds").arg(QString::fromStdString(runs.front()->record.name)).arg(runs.size());
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
    result.table.columns << tr("Path");
    for (const auto& same : different) result.table.columns << labelOf(same);
    result.table.textColumns = int(different.size()) + 1;
    for (const auto& line : joined(diffDocuments(documents))) {
        QStringList row{shownPath(line)};
        for (const auto& value : line.values) row << settingText(value);
        result.table.rows << row;
    }
    return result;
}

}  // namespace heddle::ui
