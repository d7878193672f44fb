// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/built_model.h"

namespace heddle::ui {
namespace {

/// Rows written by other programs may hold anything: what cannot be read is not known.
std::int64_t sizeIn(const Json& context, const char* key) {
    const auto found = context.find(key);
    return found != context.end() && found->is_number_integer() ? std::max<std::int64_t>(0, found->get<std::int64_t>()) : 0;
}

}  // namespace

std::optional<BuiltModel> readBuiltModel(storage::RunQuery& query, const std::string& run) {
    const auto record = query.run(run);
    if (!record || record->damaged) return std::nullopt;
    const auto attempts = query.attempts(run);
    for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt) {
        const Json context = Json::parse(attempt->context, nullptr, false);
        if (!context.is_object()) continue;
        const std::int64_t source = sizeIn(context, "vocab_source"), target = sizeIn(context, "vocab_target");
        if (source == 0 && target == 0 && record->parameters == 0) continue;
        BuiltModel built{{}, record->parameters};
        if (source > 0 || target > 0)  // one stack has one vocabulary
            built.sizes = {source > 0 ? source : target, target > 0 ? target : source};
        built.sizes.classes = sizeIn(context, "classes");
        return built;
    }
    return std::nullopt;
}

}  // namespace heddle::ui
