// SPDX-License-Identifier: Apache-2.0
#include "app/foreign/column_roles.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/unicode.h"
#include "engine/metrics/metric.h"
#include "engine/spec/foreign_spec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>

namespace heddle::app {
namespace {

using Names = std::vector<std::string>;

/// The role of a column with this metric: an evaluation if it has a split, else a curve of training.
Column columnAs(const ForeignMetric& metric) { return {metric.split.empty() ? Role::Series : Role::Metric, metric}; }

std::size_t required(const ForeignTable& table, const std::string& name, const std::string& option) {
    if (const auto found = table.find(name)) return *found;
    throwUsage(fmt::format("unknown column \"{}\" in {}", name, table.path), option,
               "its columns are " + listedNames(table.columns));
}

std::optional<std::size_t> firstOf(const ForeignTable& table, const Names& names) {
    for (const std::string& name : names)
        if (const auto found = table.find(name)) return found;
    return std::nullopt;
}

std::optional<std::size_t> chosen(const ForeignTable& table, const std::string& given, const std::string& option,
                                  const Names& usual) {
    return given.empty() ? firstOf(table, usual) : std::optional(required(table, given, option));
}

/// A metric of Heddle for the usual names of one: "ppl" is perplexity.
std::string metricName(const std::string& name) {
    static const std::map<std::string, std::string> kOthers{{"acc", "accuracy"}, {"ppl", "perplexity"}, {"mcc", "matthews"}};
    const std::string lower = lowerAscii(name);
    const auto other = kOthers.find(lower);
    const std::string& known = other == kOthers.end() ? lower : other->second;
    return findMetric(known) ? known : "";
}

/// "val_loss", "valid/loss", "eval.loss": valid loss; "train_loss": a series. Nothing where the rest is no metric that Heddle
/// knows.
std::optional<ForeignMetric> usualMetric(const std::string& column) {
    static const std::map<std::string, std::string> kSplits{{"val", "valid"},  {"valid", "valid"},      {"validation", "valid"},
                                                            {"eval", "valid"}, {"evaluation", "valid"}, {"dev", "valid"},
                                                            {"test", "test"},  {"train", ""},           {"training", ""}};
    const std::size_t end = column.find_first_of("_/.- ");
    if (end == std::string::npos) return std::nullopt;
    const auto split = kSplits.find(lowerAscii(column.substr(0, end)));
    const std::string metric = metricName(column.substr(end + 1));
    if (split == kSplits.end() || metric.empty()) return std::nullopt;
    return ForeignMetric{split->second, metric};
}

}  // namespace

std::optional<double> numberOf(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return std::nullopt;
    std::string_view text = value.get_ref<const std::string&>();
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> wholeNumberOf(const Json& value) {
    constexpr auto kExact = static_cast<double>(kLargestNamedSeed);  // whole numbers up to it are exact
    const auto number = numberOf(value);
    if (!number || !(*number >= 0) || *number > kExact || *number != std::floor(*number)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

std::string textOf(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string metricOfColumn(const std::string& column) {
    if (const auto usual = usualMetric(column)) return usual->metric;
    const std::string known = metricName(column);
    return known.empty() ? column : known;
}

void requireOnce(const ForeignTable& table, const std::vector<Column>& columns) {
    std::map<ForeignMetric, std::string> names;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].role != Role::Metric && columns[i].role != Role::Series) continue;
        const auto [known, isNew] = names.emplace(columns[i].metric, table.columns[i]);
        const std::string split = columns[i].metric.split.empty() ? "train" : columns[i].metric.split;
        if (!isNew)
            throwUsage(fmt::format("the columns \"{}\" and \"{}\" both map to {} {}", known->second, table.columns[i], split,
                                   columns[i].metric.metric),
                       table.path, "ignore one with --ignore COLUMN, or map it with --metric COLUMN=SPLIT:METRIC");
    }
}

ColumnRoles namedRoles(const ForeignTable& table, const ForeignOptions& options) {
    ColumnRoles roles;
    roles.columns.resize(table.columns.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string& name = table.columns[i];
        if (name.starts_with('_')) roles.columns[i].role = Role::Ignored;
        if (const std::string alone = metricName(name); !alone.empty())
            roles.columns[i].metric = {"", alone};
        else if (const auto metric = usualMetric(name))
            roles.columns[i] = columnAs(*metric);
    }
    for (const auto& [column, metric] : table.declared) roles.columns[column] = columnAs(metric);
    const auto mark = [&](std::optional<std::size_t> column, Role role) {
        if (column) roles.columns[*column] = {role, {}};
    };
    mark(firstOf(table, {"state"}), Role::State);
    mark(firstOf(table, {"name"}), Role::Name);
    mark(table.find(kTimeColumn), Role::Time);
    for (const auto& [column, metric] : options.metrics) roles.columns[required(table, column, "--metric")] = columnAs(metric);
    const auto seed = chosen(table, options.seed, "--seed", {"seed", "config.seed"});
    const bool isColumn = !options.group.empty() && table.find(options.group);  // else the group of all runs
    const auto group = isColumn                ? table.find(options.group)
                       : options.group.empty() ? firstOf(table, {"group", "variant", "config.group", "config.variant"})
                                               : std::nullopt;
    roles.step = chosen(table, options.step, "--step", {"step", "_step", "global_step"});
    mark(seed, Role::Seed);
    mark(group, Role::Group);
    mark(roles.step, Role::Step);
    for (const std::string& name : options.run) roles.run.push_back(required(table, name, "--run"));
    if (roles.run.empty()) {
        if (const auto usual = firstOf(table, {"run", "run_id", "name"}))
            roles.run = {*usual};
        else
            for (const auto& part : {group, seed})
                if (part) roles.run.push_back(*part);
    }
    for (const std::size_t column : roles.run)
        if (column != seed && column != group) mark(column, Role::Run);
    for (const std::string& name : options.ignore) mark(required(table, name, "--ignore"), Role::Ignored);
    return roles;
}

}  // namespace heddle::app
