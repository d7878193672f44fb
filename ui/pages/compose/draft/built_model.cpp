// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/built_model.h"

#include "engine/base/json.h"
#include "engine/run/attempt_facts.h"
#include "engine/run/event_words.h"
#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/text/number.h"

#include <algorithm>
#include <span>

namespace heddle::ui {
namespace {

/// Rows written by other programs may hold anything; what cannot be read is treated as unknown.
std::int64_t sizeIn(const Json& context, const char* key) {
    const auto found = context.find(key);
    return found != context.end() && found->is_number_integer() ? std::max<std::int64_t>(0, found->get<std::int64_t>()) : 0;
}

std::vector<BuiltModule> modulesIn(const Json& list) {
    std::vector<BuiltModule> modules;
    for (const Json& row : list.is_array() ? list : Json::array()) {
        if (!row.is_object()) return {};
        const Json path = row.value("path", Json()), block = row.value("block", Json());
        if (!path.is_string() || !block.is_string()) return {};
        modules.push_back({path, block, sizeIn(row, "parameters")});
    }
    return modules;
}

/// Returns the newest list of modules that an attempt of the run stored.
std::vector<BuiltModule> modulesOf(storage::RunQuery& query, const std::string& run) {
    std::vector<BuiltModule> newest;
    for (const auto& event : query.events(run)) {
        if (event.damaged || event.kind != kModelEvent) continue;
        const Json data = Json::parse(event.data, nullptr, false);
        if (data.is_object()) newest = modulesIn(data.value("modules", Json()));
    }
    return newest;
}

}  // namespace

std::optional<BuiltModel> readBuiltModel(storage::RunQuery& query, const std::string& run) {
    const auto record = query.run(run);
    if (!record || record->damaged) return std::nullopt;
    std::optional<BuiltModel> newest;
    for (const auto& attempt : query.attempts(run)) {
        const AttemptFacts facts = attemptFacts(attempt.context);
        if (facts.isDescribed) newest = BuiltModel{facts.sizes(), record->parameters, {}};
    }
    if (newest) newest->modules = modulesOf(query, run);
    return newest;
}

BuiltComparison compareBuilt(const BuiltModel& built, const Json& document) {
    BuiltComparison found{built, 0, {}};
    if (const Facts facts = factsOf(document, built.sizes)) {
        found.parameters = facts->cost.parameters;
        if (!built.modules.empty()) found.differences = moduleDifferences(built.modules, *facts);
    }
    return found;
}

QString wordsOf(const std::vector<ModuleDifference>& differences) {
    constexpr std::size_t kNamed = 2;
    const auto module = [](const std::optional<BuiltModule>& built) {
        return built ? VariantDraft::tr("%1 with %2").arg(text(built->block), count(built->parameters))
                     : VariantDraft::tr("no module");
    };
    QStringList named;
    for (const ModuleDifference& one : std::span(differences).first(std::min(kNamed, differences.size())))
        named << VariantDraft::tr("%1: the run has %2, the specification gives %3")
                     .arg(text(one.path), module(one.built), module(one.now));
    const QString words = named.join(QStringLiteral("; "));
    return differences.size() > kNamed
               ? VariantDraft::tr("%1; and %Ln more module(s).", nullptr, int(differences.size() - kNamed)).arg(words)
               : words + QLatin1Char('.');
}

}  // namespace heddle::ui
