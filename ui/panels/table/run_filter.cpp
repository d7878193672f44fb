// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/run_filter.h"

#include "engine/base/json.h"
#include "engine/base/suggestion.h"
#include "engine/run/run_state.h"
#include "ui/panels/table/columns.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace heddle::ui {
namespace {

/// Translates words outside of a QObject, in a context that lupdate finds.
struct FilterWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::RunFilter)
};

struct Word {
    int position = 0;
    QString text;  ///< without quotes
    bool quoted = false;
};

std::vector<Word> wordsOf(const QString& line) {
    std::vector<Word> words;
    for (int i = 0; i < line.size();) {
        if (line[i].isSpace()) {
            ++i;
            continue;
        }
        Word word{i, {}, line[i] == QLatin1Char('"')};
        bool inside = false;
        for (; i < line.size() && (inside || !line[i].isSpace()); ++i) {
            if (line[i] == QLatin1Char('"'))
                inside = !inside;
            else
                word.text += line[i];
        }
        words.push_back(std::move(word));
    }
    return words;
}

constexpr std::array<const char*, 6> kOperators{"!=", "<=", ">=", "=", "<", ">"};

struct Comparison {
    QString path, value;
    QString op;
};

std::optional<Comparison> comparisonOf(const QString& text) {
    for (int i = 1; i < text.size(); ++i)
        for (const char* op : kOperators)
            if (QStringView(text).mid(i).startsWith(QLatin1String(op))) {
                const auto length = int(qstrlen(op));
                return Comparison{text.left(i), text.mid(i + length), QLatin1String(op)};
            }
    return std::nullopt;
}

bool holds(int order, const QString& op) {
    if (op == QLatin1String("<")) return order < 0;
    if (op == QLatin1String("<=")) return order <= 0;
    if (op == QLatin1String(">")) return order > 0;
    if (op == QLatin1String(">=")) return order >= 0;
    return (order == 0) == (op == QLatin1String("="));
}

/// Compares numbers with numbers and texts with texts; a number and a text are only unequal.
bool compare(const Cell& cell, const Comparison& c) {
    if (cell.isEmpty()) return c.op == QLatin1String("!=");
    bool isNumber = false;
    const double number = QLocale::c().toDouble(c.value, &isNumber);
    if (cell.isNumber != isNumber) return c.op == QLatin1String("!=");
    if (!isNumber) return holds(QString::compare(cell.text, c.value, Qt::CaseInsensitive), c.op);
    const bool near = std::abs(cell.number - number) <= 1e-12 * std::max(std::abs(number), std::abs(cell.number));
    return holds(near ? 0 : cell.number < number ? -1 : 1, c.op);
}

/// A value as a user types it, without the group separators of the screen.
Cell rawCell(const Json& value) {
    if (value.is_number()) return numberCell(value.get<double>());
    if (value.is_boolean()) return textCell(value.get<bool>() ? QStringLiteral("true") : QStringLiteral("false"));
    return textCell(value.is_string() ? QString::fromStdString(value.get<std::string>())
                                      : QString::fromStdString(value.dump()));
}

QString nearest(const QString& word, const std::vector<std::string>& known) {
    return QString::fromStdString(heddle::didYouMean(word.toStdString(), known));
}

bool endsAsPath(const std::string& path, const std::string& tail) {
    if (path == tail) return true;
    return path.size() > tail.size() && path.compare(path.size() - tail.size(), tail.size(), tail) == 0 &&
           path[path.size() - tail.size() - 1] == '.';
}

}  // namespace

class FilterParser {
public:
    FilterParser(const QString& line, const RunTable& table) : line_(line), table_(table) {}

    RunFilter parse() {
        for (const Word& word : wordsOf(line_)) {
            if (filter_.error_) break;
            take(word);
        }
        if (filter_.error_) filter_.terms_.clear();
        return std::move(filter_);
    }

private:
    void take(const Word& word) {
        if (!word.quoted) {
            if (const auto comparison = comparisonOf(word.text)) return takeComparison(word, *comparison);
            if (const auto colon = word.text.indexOf(QLatin1Char(':')); colon > 0)
                return takeKey(word, word.text.left(int(colon)), word.text.mid(int(colon) + 1).toLower());
        }
        filter_.terms_.push_back([text = word.text.toLower()](const RunFacts& run) { return run.searchText.contains(text); });
    }

    void takeKey(const Word& word, const QString& key, const QString& value) {
        const auto contains = [value](const std::string& text) {
            return QString::fromStdString(text).contains(value, Qt::CaseInsensitive);
        };
        auto& terms = filter_.terms_;
        if (key == QLatin1String("name"))
            terms.push_back([contains](const RunFacts& run) { return contains(run.record.name); });
        else if (key == QLatin1String("tag"))
            terms.push_back([contains](const RunFacts& run) {
                return std::any_of(run.record.tags.begin(), run.record.tags.end(), contains);
            });
        else if (key == QLatin1String("variant"))
            terms.push_back(
                [prefix = value.toStdString()](const RunFacts& run) { return run.record.variantHash.rfind(prefix, 0) == 0; });
        else if (key == QLatin1String("seed"))
            terms.push_back([value](const RunFacts& run) { return QString::number(run.record.seed) == value; });
        else if (key == QLatin1String("state"))
            takeState(word, value);
        else
            fail(word, key, FilterWords::tr("There is no key “%1”").arg(key),
                 nearest(key, {"name", "tag", "state", "seed", "variant"}));
    }

    void takeState(const Word& word, const QString& value) {
        std::vector<std::string> states;
        for (int i = 0; i < kRunStateCount; ++i) states.emplace_back(name(RunState(i)));
        const std::string begin = value.toStdString();
        if (std::none_of(states.begin(), states.end(), [&](const auto& state) { return state.rfind(begin, 0) == 0; }))
            return fail(word, value, FilterWords::tr("There is no state “%1”").arg(value), nearest(value, states));
        filter_.terms_.push_back([begin](const RunFacts& run) { return run.record.state.rfind(begin, 0) == 0; });
    }

    void takeComparison(const Word& word, const Comparison& c) {
        const std::string path = c.path.toStdString();
        if (std::find(table_.metrics.begin(), table_.metrics.end(), path) != table_.metrics.end()) {
            const bool best = lowerIsBetter(path.substr(path.find('.') + 1));
            filter_.terms_.push_back([path, best, c](const RunFacts& run) {
                const auto found = run.metrics.find(path);
                return found != run.metrics.end() && compare(numberCell(best ? found->second.best : found->second.last), c);
            });
            return;
        }
        if (c.path.startsWith(QLatin1String("tag:")) && c.path.size() > 4) {
            filter_.terms_.push_back(
                [key = path.substr(4), c](const RunFacts& run) { return compare(tagCell(run.record.tags, key), c); });
            return;
        }
        if (c.path == QLatin1String("seed")) {
            filter_.terms_.push_back([c](const RunFacts& run) { return compare(numberCell(double(run.record.seed)), c); });
            return;
        }
        std::vector<std::string> paths;
        for (const auto& known : table_.paths)
            if (endsAsPath(known, path)) paths.push_back(known);
        if (paths.empty())
            return fail(word, c.path, FilterWords::tr("No run has a setting or metric “%1”").arg(c.path), nearestPath(c.path));
        const bool unequal = c.op == QLatin1String("!=");
        filter_.terms_.push_back([paths, c, unequal](const RunFacts& run) {
            const auto fits = [&](const std::string& each) {
                const Json* value = run.setting(each);
                return compare(value ? rawCell(*value) : Cell(), c);
            };
            return unequal ? std::all_of(paths.begin(), paths.end(), fits) : std::any_of(paths.begin(), paths.end(), fits);
        });
    }

    /// Looks among the endings of paths with as many parts as `typed` has: "train.lr" for "trian.lr".
    QString nearestPath(const QString& typed) const {
        const auto parts = typed.count(QLatin1Char('.')) + 1;
        std::set<std::string> endings(table_.metrics.begin(), table_.metrics.end());
        for (const auto& path : table_.paths)
            endings.insert(QString::fromStdString(path).section(QLatin1Char('.'), -parts).toStdString());
        return nearest(typed, {endings.begin(), endings.end()});
    }

    void fail(const Word& word, const QString& wrong, const QString& what, const QString& right) {
        FilterError error;
        error.position = int(line_.indexOf(wrong, word.position, Qt::CaseInsensitive));
        if (error.position < 0) error.position = word.position;
        error.length = int(wrong.size());
        error.what = what;
        if (!right.isEmpty()) error.suggestion = QString(line_).replace(error.position, error.length, right);
        filter_.error_ = error;
    }

    const QString& line_;
    const RunTable& table_;
    RunFilter filter_;
};

RunFilter RunFilter::parse(const QString& line, const RunTable& table) { return FilterParser(line, table).parse(); }

bool RunFilter::fits(const RunFacts& run) const {
    return !error_ && std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) { return term(run); });
}

}  // namespace heddle::ui
