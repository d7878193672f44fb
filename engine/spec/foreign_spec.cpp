// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/foreign_spec.h"

#include "engine/base/error.h"
#include "engine/base/sha256.h"

namespace heddle {
namespace {

constexpr const char* kForeignSchema = "heddle.foreign/1";

void refuse(const std::optional<ForeignSpec>& foreign, const std::string& where) {
    if (foreign)
        throwUsage("the run was imported from " + foreign->file + "; it has no weights", where,
                   "choose a run trained by Heddle");
}

}  // namespace

Json ForeignSpec::toJson() const {
    Json document{{"schema", kForeignSchema},
                  {"config", config},
                  {"source", {{"file", file}, {"format", format}, {"sha256", sha256}, {"run", run}}}};
    if (!name.empty()) document["name"] = name;
    if (seed) document["seed"] = *seed;
    if (!group.empty()) document["group"] = group;
    if (paired) document["paired"] = true;
    return document;
}

Json ForeignSpec::settings() const {
    return {{"config", config}, {"group", group}, {"source", {{"file", file}, {"format", format}, {"sha256", sha256}}}};
}

std::string ForeignSpec::groupKey() const {
    return "foreign " +
           sha256Hex(canonicalJson({{"config", config}, {"group", group}, {"source", group.empty() ? sha256 : ""}}));
}

std::optional<ForeignSpec> foreignSpec(const std::string& spec) {
    if (spec.find(kForeignSchema) == std::string::npos) return std::nullopt;
    try {
        return foreignSpec(parseJson(spec, "spec"));
    } catch (const Error&) {  // damaged
        return std::nullopt;
    }
}

std::optional<ForeignSpec> foreignSpec(const Json& document) {
    if (!document.is_object() || document.value("schema", Json()) != kForeignSchema) return std::nullopt;
    try {
        const Json& source = document.at("source");
        ForeignSpec spec{document.value("name", ""),
                         std::nullopt,
                         document.value("group", ""),
                         document.value("paired", false),
                         document.at("config"),
                         source.at("file"),
                         source.at("format"),
                         source.at("sha256"),
                         source.at("run")};
        if (document.contains("seed")) spec.seed = document.at("seed").get<std::uint64_t>();
        return spec.config.is_object() ? std::optional(spec) : std::nullopt;
    } catch (const Json::exception&) {  // damaged
        return std::nullopt;
    }
}

void requireOwn(const Json& document, const std::string& where) { refuse(foreignSpec(document), where); }

void requireOwn(const std::string& spec, const std::string& where) { refuse(foreignSpec(spec), where); }

}  // namespace heddle
