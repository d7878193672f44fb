// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the run tables: the value of a run, its text, its order.
#pragma once

#include "ui/data/run_facts.h"

#include <limits>
#include <set>

namespace heddle::ui {

/// A typed value; empty (neither number nor text) sorts last. A number may have the text as which it was written (00123).
struct Cell {
    double number = std::numeric_limits<double>::quiet_NaN();
    QString text;
    bool isNumber = false;

    bool isEmpty() const { return !isNumber && text.isEmpty(); }
};
Cell numberCell(double value);
Cell textCell(const QString& text);
/// Less, equal or greater: numbers before texts before nothing; NaN after every other number.
int compareCells(const Cell& a, const Cell& b);

struct Column {
    /// Size: of the run's folder, which RunFacts do not know (ArrangeOptions::sizes). Tag: tagCell(). Added: parameters beside
    /// those of the baseline. Value to Published: of the comparison (ArrangeOptions::comparison), which says of which metric
    /// and rule.
    enum class Kind {
        Run,
        State,
        Seed,
        Parameters,
        Best,
        Last,
        Epochs,
        Steps,
        Time,
        Created,
        Tags,
        Setting,
        Variant,
        Size,
        Tag,
        Added,
        Value,
        Difference,
        Interval,
        Verdict,
        Published
    };
    Kind kind = Kind::Run;
    std::string key;  ///< metric, path or tag

    /// The column as text in settings files: "best:valid.loss", "setting:train.lr".
    QString id() const;
    static std::optional<Column> fromId(const QString& id);

    QString title() const;
    /// What the column shows, with the rule that chose it.
    QString description() const;
    bool isNumeric() const;
    bool isMetric() const { return kind == Kind::Best || kind == Kind::Last; }
    /// Whether a comparison fills it.
    bool isCompared() const { return kind >= Kind::Added; }
    Cell value(const RunFacts& run) const;
    /// `cell` as the screen writes it, without a step, as a mean of several runs has none.
    QString text(const Cell& cell) const;
    /// The same for one run, where a step can stand beside it: "1.797 at 24,516", "150 / 300".
    QString text(const Cell& cell, const RunFacts& run) const;
    /// More about a run's value: step, n and signature of a metric; empty where there is no more.
    QString origin(const RunFacts& run) const;

    bool operator==(const Column&) const = default;
};

/// Those of Compare: run, state, seeds, parameters, added parameters, value, difference, interval, verdict.
std::vector<Column> defaultColumns();
/// What the tags say of a key: the value of a tag "key=value" or "key:value", with the number that it is, if it is one, a tick
/// for the tag "key", nothing without either.
Cell tagCell(const std::vector<std::string>& tags, const std::string& key);
/// The keys that have a column: of "lr=3" and "lr:4" it is "lr", any other tag is its own key.
std::set<std::string> tagKeys(const RunTable& table);
/// "Valid loss" of "valid.loss"; "BLEU, test" of "test.bleu"; "F1 PER, valid, %" of "valid.f1/PER".
QString metricTitle(const std::string& metric);
/// Digits behind the point, as metricInfos() says; 4 for a metric that it does not know.
int metricDecimals(const std::string& metric);
/// The factor from stored to shown values: 100 for shares, which are shown in per cent.
double metricScale(const std::string& metric);
/// The path of a setting as the screen writes it, without "variant.".
QString shownPath(const std::string& path);
/// The value of a setting as the screen writes it.
QString settingText(const Json& value);
/// A file with the beginning of its SHA-256: "dev.tsv (1f2e3d4c)".
QString fileText(const Json& value, const std::string& content);
/// Stands behind a value that must not be put beside the others.
inline constexpr QChar kNotComparable(0x2020);
/// "n differs, the data differ".
QString doubtWords(const std::set<Unlike>& doubts);

}  // namespace heddle::ui
