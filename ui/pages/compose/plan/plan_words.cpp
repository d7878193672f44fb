// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan/plan_words.h"

#include "engine/analysis/run_group.h"
#include "engine/base/json.h"
#include "ui/text/utf8.h"

#include <QRegularExpression>

#include <algorithm>
#include <functional>
#include <utility>

namespace heddle::ui {
namespace {

/// Splits at separators outside of quotes, braces and brackets; drops empty parts.
std::vector<std::string> split(const QString& words, const std::function<bool(QChar)>& separates) {
    std::vector<std::string> parts;
    QString part;
    int depth = 0;
    bool quoted = false;
    const auto take = [&] {
        if (const QString taken = std::exchange(part, {}).trimmed(); !taken.isEmpty()) parts.push_back(taken.toStdString());
    };
    for (const QChar c : words) {
        if (c == QLatin1Char('"')) quoted = !quoted;
        if (!quoted && (c == QLatin1Char('{') || c == QLatin1Char('['))) ++depth;
        if (!quoted && (c == QLatin1Char('}') || c == QLatin1Char(']'))) --depth;
        if (!quoted && depth <= 0 && separates(c))
            take();
        else
            part += c;
    }
    take();
    return parts;
}

/// The values that a setting gives its path: one, or those in braces.
std::vector<std::string> valuesOf(const std::string& value) {
    const bool isInBraces = value.size() > 1 && value.front() == '{' && value.back() == '}';
    if (!isInBraces || Json::accept(value)) return {value};
    auto values = split(text(value.substr(1, value.size() - 2)), [](QChar c) { return c == QLatin1Char(','); });
    return values.empty() ? std::vector<std::string>{value} : values;
}

}  // namespace

std::vector<std::uint64_t> readSeeds(const QString& words) {
    std::vector<std::uint64_t> seeds;
    static const QRegularExpression comma(QStringLiteral("[,\\s]+")), form(QStringLiteral("^(\\d{1,15})(?:[-–](\\d{1,15}))?$"));
    for (const QString& part : words.split(comma, Qt::SkipEmptyParts)) {
        const auto found = form.match(part);
        if (!found.hasMatch()) return {};
        const std::uint64_t first = found.captured(1).toULongLong();
        const std::uint64_t last = found.captured(2).isEmpty() ? first : found.captured(2).toULongLong();
        if (last < first || last - first >= kMaxSeeds) return {};
        for (std::uint64_t seed = first; seed <= last; ++seed)
            if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
    }
    return seeds.size() <= kMaxSeeds ? seeds : std::vector<std::uint64_t>{};
}

QString seedsText(const std::vector<std::uint64_t>& seeds) {
    QStringList parts;
    for (std::size_t i = 0; i < seeds.size();) {
        std::size_t end = i + 1;
        while (end < seeds.size() && seeds[end] == seeds[end - 1] + 1) ++end;
        parts << (end - i > 2 ? QStringLiteral("%1-%2").arg(seeds[i]).arg(seeds[end - 1]) : QString::number(seeds[i]));
        i = end - i > 2 ? end : i + 1;
    }
    return parts.join(QLatin1Char(','));
}

std::vector<GridCell> readGrid(const QString& words) {
    std::vector<GridCell> grid(1);
    for (const std::string& setting : split(words, [](QChar c) { return c.isSpace(); })) {
        const std::size_t equals = std::min(setting.find('='), setting.size() - 1);
        const std::string path = setting.substr(0, equals + 1);
        const auto values = valuesOf(setting.substr(equals + 1));
        if (grid.size() * values.size() > kMaxGridRows) return {};
        std::vector<GridCell> next;
        for (const GridCell& cell : grid)
            for (const std::string& value : values) {
                next.push_back(cell);
                next.back().settings.push_back(path + value);
                if (values.size() > 1) next.back().name += " · " + shortPath(path.substr(0, equals)) + ' ' + value;
            }
        grid = std::move(next);
    }
    return grid;
}

QString settingsText(const std::vector<std::string>& settings) {
    QStringList parts;
    for (const std::string& one : settings) parts << text(one);
    return parts.join(QLatin1Char(' '));
}

std::optional<RowStart> readStart(const QString& words) {
    static const QRegularExpression form(QStringLiteral("^(.+?)(?:\\s*,\\s*(best|last|\\d{1,18}))?$"));
    const auto found = form.match(words.trimmed());
    if (!found.hasMatch()) return std::nullopt;
    RowStart start{found.captured(1).toStdString()};
    if (!found.captured(2).isEmpty()) start.checkpoint = found.captured(2).toStdString();
    return start;
}

QString startText(const std::optional<RowStart>& start) {
    if (!start) return {};
    const QString row = text(start->row);
    return start->checkpoint == RowStart().checkpoint ? row : QStringLiteral("%1, %2").arg(row, text(start->checkpoint));
}

}  // namespace heddle::ui
