// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/run_fields.h"

#include "engine/base/contains.h"

#include <filesystem>
#include <utility>

namespace heddle {
namespace {

using Role = FieldSchema::Role;

void addMarked(const FieldSchema& schema, const std::string& path, std::vector<MarkedSetting>& marked) {
    if (schema.role != Role::Setting) marked.push_back({path, pointerOf(path), &schema});
    for (const FieldSchema& field : schema.fields) addMarked(field, childPath(path, field.key), marked);
}

/// Erases a member, and the objects around it that are empty then.
void erase(Json& document, Json::json_pointer at) {
    if (!document.contains(at)) return;
    do {
        Json& parent = document.at(at.parent_pointer());
        parent.erase(at.back());
        at.pop_back();
    } while (!at.empty() && document.at(at).empty());
}

}  // namespace

const std::vector<MarkedSetting>& markedSettings() {
    static const std::vector<MarkedSetting> all = [] {
        std::vector<MarkedSetting> marked;
        addMarked(runSchema(), "", marked);
        return marked;
    }();
    return all;
}

bool namesFile(const FieldSchema& field) {
    return field.role == Role::DataFile || field.role == Role::TokenizerFile || field.role == Role::Checkpoint;
}

Json withAbsoluteFiles(const FieldSchema& schema, Json value, const std::string& base) {
    if (value.is_object()) {
        for (const FieldSchema& field : schema.fields)
            if (const auto member = value.find(field.key); member != value.end())
                *member = withAbsoluteFiles(field, std::move(*member), base);
    } else if (value.is_string() && !value.get_ref<const std::string&>().empty() && namesFile(schema)) {
        const std::filesystem::path path = std::filesystem::path(base) / value.get<std::string>();
        value = std::filesystem::absolute(path).lexically_normal().string();
    }
    return value;
}

Json withoutMarked(Json document, const std::vector<Role>& roles) {
    for (const MarkedSetting& setting : markedSettings())
        if (contains(roles, setting.field->role)) erase(document, setting.pointer);
    return document;
}

}  // namespace heddle
