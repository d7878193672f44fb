// SPDX-License-Identifier: Apache-2.0
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/split.h"
#include "engine/base/suggestion.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/slot_site.h"
#include "engine/spec/variant_schema.h"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <utility>

namespace heddle {
namespace {

using Type = FieldSchema::Type;
using Segments = std::vector<std::string>;

/// A parsed assignment.
struct Assignment {
    std::string path;
    Segments segments;
    std::string text;
};

Assignment takeApart(const std::string& assignment) {
    canonicalJson(assignment);  // throws for invalid UTF-8
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
        throw Error(ErrorCode::Usage, "not of the form path=value", "--set " + assignment, "for example: --set train.lr=1e-3");
    Assignment taken{assignment.substr(0, equals), {}, assignment.substr(equals + 1)};
    taken.segments = splitAt(taken.path, '.');
    if (taken.segments.size() > 1 && taken.segments.front() == "variant") taken.segments.erase(taken.segments.begin());
    if (contains(taken.segments, ""))
        throw Error(ErrorCode::Usage, "a part of the path is empty", "--set " + assignment, "separate names with single dots");
    return taken;
}

[[noreturn]] void refuse(const Assignment& assignment, const std::string& what, const std::string& next) {
    throwInvalid(what, "--set " + assignment.path, next);
}

/// The value as JSON if the text looks like it, else as a string.
Json valueOf(const Assignment& assignment) {
    const std::string& text = assignment.text;
    if (!text.empty() && std::string("{[\"").find(text.front()) != std::string::npos)
        return parseJson(text, "--set " + assignment.path);
    const Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json(text) : value;
}

/// The field of the run's schema at a path, or null.
const FieldSchema* fieldAt(const FieldSchema& schema, std::span<const std::string> segments) {
    if (segments.empty()) return &schema;
    const auto* field = findField(schema, segments.front());
    return field ? fieldAt(*field, segments.subspan(1)) : nullptr;
}

/// Returns member `key` of `node`, creating it if missing and expanding short forms.
Json& enter(Json& node, const std::string& key, const Assignment& assignment) {
    if (node.is_array()) {
        for (std::size_t i = 0; i < node.size(); ++i)
            if (key == std::to_string(i)) return node[i];
        refuse(assignment, fmt::format("no such list index: {}", key),
               fmt::format("the list has {} elements, counted from 0", node.size()));
    }
    if (node.is_null()) node = Json::object();
    if (!node.is_object()) refuse(assignment, fmt::format("\"{}\" is not inside an object", key), "use a shorter path");
    return node[key];
}

/// The node at the end of a path, created if missing.
Json& reach(Json& start, std::span<const std::string> segments, const Assignment& assignment) {
    Json* node = &start;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (i > 0) *node = slotObject(segments[i - 1], *node);
        node = &enter(*node, segments[i], assignment);
    }
    return *node;
}

/// Naming another kind of block drops the parameters of the one before.
void setInVariant(Json& start, std::span<const std::string> segments, const Assignment& assignment) {
    const Json value = valueOf(assignment);
    if (segments.size() > 1 && segments.back() == kindKey(segments[segments.size() - 2])) {
        Json& slot = reach(start, segments.first(segments.size() - 1), assignment);
        if (!slot.is_object() || slot.value(segments.back(), Json()) != value) slot = Json{{segments.back(), value}};
    } else {
        reach(start, segments, assignment) = value;
    }
}

/// The entry of a sublayer in its stack's list; the list defaults to the preset's or the standard one.
Json& sublayerEntry(Json& variant, const std::string& name, const Assignment& assignment) {
    const std::string& stack = assignment.segments.front();
    Json& list = enter(enter(variant, stack, assignment), "sublayers", assignment);
    if (!list.is_array()) list = impliedSublayers(variant, stack);
    std::vector<std::string> names;
    for (auto& entry : list) {
        if (!entry.is_object() || !entry.contains("name")) continue;
        if (entry["name"] == name) return entry;
        names.push_back(entry["name"].is_string() ? entry["name"].get<std::string>() : "");
    }
    refuse(assignment, fmt::format("the {} has no sublayer \"{}\"", stack, name), suggestion(name, names));
}

void setVariant(Json& variant, const Assignment& assignment) {
    const auto& segments = assignment.segments;
    if (variant.is_null()) variant = Json::object();
    const bool inStack = segments.front() == "encoder" || segments.front() == "decoder";
    if (!inStack || segments.size() < 2) return setInVariant(variant, segments, assignment);
    auto known = sublayerNames(segments.front());
    if (contains(known, segments[1])) {
        const std::span rest = std::span(segments).subspan(2);
        if (rest.empty()) refuse(assignment, "a slot is missing", "for example: encoder.self.adjuster=eau");
        return setInVariant(sublayerEntry(variant, segments[1], assignment), rest, assignment);
    }
    known.insert(known.end(), stackSlots().begin(), stackSlots().end());
    known.insert(known.end(), {"sublayers", "layers"});
    if (segments[1] == "norm")
        refuse(assignment, "the final norm cannot be set as a whole", "set defaults.norm.final or defaults.norm.kind");
    if (!contains(known, segments[1]))
        refuse(assignment, fmt::format("unknown key \"{}\"", segments[1]), suggestion(segments[1], known));
    setInVariant(variant, segments, assignment);
}

void setRun(Json& document, const Assignment& assignment) {
    const auto* field = fieldAt(runSchema(), assignment.segments);
    const bool isText = field && (field->type == Type::String || field->type == Type::Choice);
    // String fields take the text itself ("name=7").
    Json value = isText && !assignment.text.starts_with('"') ? Json(assignment.text) : valueOf(assignment);
    if (field) value = withAbsoluteFiles(*field, std::move(value), std::filesystem::current_path().string());
    reach(document, assignment.segments, assignment) = std::move(value);
}

}  // namespace

void applySet(Json& document, const std::string& text) {
    const Assignment assignment = takeApart(text);
    document = asRunDocument(document);
    if (!document.is_object()) refuse(assignment, "the document is not an object", "use a run spec or a variant");
    const std::string& first = assignment.segments.front();
    const auto ofVariant = keysOf(variantSchema());
    auto known = keysOf(runSchema());
    known.emplace_back("variant");
    if (contains(known, first)) return setRun(document, assignment);
    if (contains(ofVariant, first)) return setVariant(document["variant"], assignment);
    known.insert(known.end(), ofVariant.begin(), ofVariant.end());
    refuse(assignment, fmt::format("unknown key \"{}\"", first), suggestion(first, known));
}

}  // namespace heddle
