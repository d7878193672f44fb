// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan/asked_plan.h"

#include "app/study/asked_study.h"
#include "engine/analysis/study_json.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/spec/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle::ui {
namespace {

Study studyOf(const PlanQuestion& question, const std::string& file) {
    const std::string& baseline = question.baseline;
    std::vector<PlanRow> rows = question.rows;
    const auto isBaseline = [&](const PlanRow& row) { return row.name == baseline; };
    if (std::none_of(rows.begin(), rows.end(), isBaseline))
        throwInvalid(fmt::format("the selected row, \"{}\", is not ticked", baseline), file,
                     "select the ticked row that the others are compared with");
    rows = writtenRows(std::move(rows));
    Json all = Json::array();
    std::vector<std::string> others;
    for (const PlanRow& row : rows) {
        if (row.seeds != rows.front().seeds)
            throwInvalid(fmt::format("\"{}\" and \"{}\" have other seeds, and a study trains all its rows with the same",
                                     rows.front().name, row.name),
                         file, "give all ticked rows the same seeds");
        all.push_back({{"name", row.name}, {"spec", row.spec}});
        if (!row.set.empty()) all.back()["set"] = row.set;
        if (!isBaseline(row)) others.push_back(row.name);
    }
    Json study{{"schema", "heddle.study/1"},
               {"question", fmt::format("{} against {}", fmt::join(others, ", "), baseline)},
               {"rows", std::move(all)},
               {"baseline", baseline},
               {"metric", study_json::metricDocument(question.metric)},
               {"seeds", rows.front().seeds}};
    if (question.margin) study["margin"] = *question.margin;
    if (question.claim) study["claim"] = {{"row", question.claim->variant}, {"verdict", nameOf(question.claim->verdict)}};
    return Study::parse(study, file);
}

}  // namespace

std::vector<PlanRow> writtenRows(std::vector<PlanRow> rows) {
    const std::string here = std::filesystem::current_path().string();
    for (PlanRow& row : rows) {
        row.spec = RunSpec::parse(row.spec, builtinCatalogue(), here).toJson();
        row.spec.erase("name");
        row.spec.erase("seed");
    }
    return rows;
}

PutItem askPlan(const PlanQuestion& question, const std::string& file, storage::RunQuery& query, const std::string& database) {
    const Study study = studyOf(question, file);
    PutItem asked = app::askStudy(study, file, query, database);
    writeFileAtomically(file, study.toJson().dump(2) + "\n", Readers::Umask);
    return asked;
}

}  // namespace heddle::ui
