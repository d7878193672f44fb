// SPDX-License-Identifier: Apache-2.0
// Wang et al. 2018, "GLUE: a multi-task benchmark and analysis platform for natural language understanding": the average is
// over tasks; a task with several metrics counts with their unweighted mean.
#include "engine/metrics/glue.h"

#include "engine/spec/error.h"
#include "engine/spec/field_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

std::vector<std::string> setsOf(const GlueTask& task) { return task.parts.empty() ? std::vector{task.id} : task.parts; }

const GlueTask& taskOf(const std::string& id) {
    std::vector<std::string> known;
    for (const GlueTask& task : glueTasks()) {
        if (task.id == id) return task;
        known.push_back(task.id);
    }
    throwInvalid(fmt::format("GLUE has no task \"{}\"", id), "GLUE", suggestion(id, known));
}

void checkSets(const GlueValues& values) {
    std::vector<std::string> known;
    for (const GlueTask& task : glueTasks())
        for (std::string& set : setsOf(task)) known.push_back(std::move(set));
    for (const auto& [set, ignored] : values)
        if (std::find(known.begin(), known.end(), set) == known.end())
            throwInvalid(fmt::format("GLUE has no evaluation set \"{}\"", set), "GLUE", suggestion(set, known));
}

/// The value of one metric of one set, or null with what is missing.
const MetricValue* find(const GlueValues& values, const std::string& set, const std::string& metric, std::string& missing) {
    const auto found = values.find(set);
    if (found == values.end()) {
        missing = fmt::format("no values of {}", set);
        return nullptr;
    }
    for (const MetricValue& value : found->second) {
        if (value.name != metric) continue;
        if (!std::isnan(value.value)) return &value;
        missing = fmt::format("{} of {} is undefined: {}", metric, set, value.warning);
        return nullptr;
    }
    missing = fmt::format("no {} of {}", metric, set);
    return nullptr;
}

}  // namespace

const std::vector<GlueTask>& glueTasks() {
    static const std::vector<GlueTask> tasks{
        {"cola", "CoLA", {"matthews"}, {}},       {"sst-2", "SST-2", {"accuracy"}, {}},
        {"mrpc", "MRPC", {"f1", "accuracy"}, {}}, {"sts-b", "STS-B", {"pearson", "spearman"}, {}},
        {"qqp", "QQP", {"f1", "accuracy"}, {}},   {"mnli", "MNLI", {"accuracy"}, {"mnli-m", "mnli-mm"}},
        {"qnli", "QNLI", {"accuracy"}, {}},       {"rte", "RTE", {"accuracy"}, {}},
        {"wnli", "WNLI", {"accuracy"}, {}},
    };
    return tasks;
}

GlueTaskScore glueScore(const std::string& task, const GlueValues& values) {
    const GlueTask& known = taskOf(task);
    const std::string name = "glue/" + known.id;
    const SignatureParts parts{{"metrics", fmt::format("{}", fmt::join(known.metrics, "+"))},
                               {"sets", fmt::format("{}", fmt::join(setsOf(known), "+"))}};
    double sum = 0;
    std::int64_t n = 0, terms = 0;
    for (const std::string& set : setsOf(known)) {
        std::int64_t examples = 0;
        for (const std::string& metric : known.metrics) {
            std::string missing;
            const MetricValue* value = find(values, set, metric, missing);
            if (value == nullptr) return {known.id, undefinedMetric(name, metricSignature(name, parts, 0), missing)};
            sum += value->value;
            examples = std::max(examples, value->n);
            ++terms;
        }
        n += examples;
    }
    return {known.id, {name, sum / static_cast<double>(terms), metricSignature(name, parts, n), n, ""}};
}

GlueAverage glueAverage(const GlueValues& values) {
    checkSets(values);
    GlueAverage result;
    double sum = 0;
    std::vector<std::string> titles;
    for (const GlueTask& task : glueTasks()) {
        result.tasks.push_back(glueScore(task.id, values));
        const MetricValue& score = result.tasks.back().score;
        if (std::isnan(score.value)) {
            result.missing.push_back(task.id);
            titles.push_back(fmt::format("{} ({})", task.title, score.warning));
        } else {
            sum += score.value;
        }
    }
    const std::size_t all = glueTasks().size(), counted = all - result.missing.size();
    const auto n = static_cast<std::int64_t>(counted);
    SignatureParts parts{{"tasks", fmt::format("{}of{}", counted, all)}};
    if (!result.missing.empty()) parts.emplace_back("missing", fmt::format("{}", fmt::join(result.missing, "+")));
    const std::string signature = metricSignature("glue", parts, n);
    const std::string warning = result.missing.empty() ? ""
                                                       : fmt::format("over {} of {} tasks; not GLUE's average. Missing: {}",
                                                                     counted, all, fmt::join(titles, ", "));
    result.average = counted == 0 ? undefinedMetric("glue", signature, warning)
                                  : MetricValue{"glue", sum / static_cast<double>(counted), signature, n, warning};
    return result;
}

}  // namespace heddle
