// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/document_schema.h"

#include "engine/base/json.h"
#include "engine/base/resources.h"

#include <algorithm>
#include <filesystem>

namespace heddle::schema {
namespace {

/// Appends a problem for every member without a default that is absent, recursively.
void requireMembers(const FieldSchema& schema, const Json& value, const std::string& path, std::vector<Problem>& problems) {
    for (const auto& member : schema.fields) {
        const std::string at = childPath(path, member.key);
        if (!value.contains(member.key)) {
            if (member.defaultValue.is_null() && member.type != FieldSchema::Type::Object)
                problems.push_back({at, "is missing", member.help});
        } else if (member.type == FieldSchema::Type::Object) {
            requireMembers(member, value[member.key], at, problems);
        } else if (member.type == FieldSchema::Type::List && member.fields.front().type == FieldSchema::Type::Object) {
            std::size_t i = 0;
            for (const auto& element : value[member.key])
                requireMembers(member.fields.front(), element, childPath(at, std::to_string(i++)), problems);
        }
    }
}

}  // namespace

Json readShipped(const FieldSchema& schema, const std::string& file) {
    const Json document = readJsonFile(file);
    std::vector<Problem> problems;
    validate(schema, document, "", problems);
    if (problems.empty()) requireMembers(schema, document, "", problems);
    throwIfAny(problems, file);
    return withDefaults(schema, document);
}

std::vector<std::string> shippedNames(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(resourcePath(folder)))
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace heddle::schema
