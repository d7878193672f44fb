// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_stack.h"

#include "engine/base/contains.h"
#include "engine/spec/variant_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace heddle {
namespace {

/// The name of a list entry, or empty.
std::string nameOf(const Json& entry) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string()) return "";
    return entry["name"].get<std::string>();
}

/// The names in a stack's list, well-formed or not; the default list if there is none.
std::vector<std::string> namesIn(const GivenStack& stack) {
    if (!stack.given.contains("sublayers") || !stack.given["sublayers"].is_array())
        return standardSublayers(stack.topology, stack.name);
    std::vector<std::string> names;
    for (const auto& entry : stack.given["sublayers"]) names.push_back(nameOf(entry));
    return names;
}

/// Checks that the sublayers fit the topology and each other.
void checkTogether(const GivenStack& stack, const std::vector<std::string>& names, std::vector<Problem>& problems) {
    const std::string path = stack.name + ".sublayers";
    if (names.empty())
        problems.push_back({path, "a layer needs at least one sublayer", suggestion("", sublayerNames(stack.name))});
    const bool looksAcross = contains(names, "cross");
    if (stack.name == "decoder" && stack.topology == "encdec" && !looksAcross)
        problems.push_back({path, "without \"cross\" the decoder does not read the source", "add {\"name\":\"cross\"}"});
    if (stack.topology == "decoder" && looksAcross)
        problems.push_back({path, "\"cross\" has no encoder to attend to", "remove it, or set topology to \"encdec\""});
    const bool isRecurrent = stack.topology == "bilstm";
    if (isRecurrent ? names != std::vector<std::string>{"lstm"} : contains(names, "lstm"))
        problems.push_back({path,
                            isRecurrent ? "a layer of topology \"bilstm\" must consist of the sublayer \"lstm\" only"
                                        : "the sublayer \"lstm\" doubles the width, which only topology \"bilstm\" supports",
                            "set topology to \"bilstm\" and list \"lstm\" alone, or neither"});
}

/// "3" → 3; -1 for anything that is not a layer number.
std::int64_t layerNumber(const std::string& text) {
    std::int64_t number = -1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return std::to_string(number) == text ? number : -1;
}

}  // namespace

std::vector<std::pair<std::string, Json>> readSublayers(const GivenStack& stack, std::vector<Problem>& problems) {
    const auto& known = sublayerNames(stack.name);
    const auto names = namesIn(stack);
    std::vector<std::pair<std::string, Json>> list;
    if (!stack.given.contains("sublayers") || !stack.given["sublayers"].is_array()) {
        for (const auto& name : names) list.emplace_back(name, Json::object());
        return list;
    }
    const std::string path = stack.name + ".sublayers";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string at = fmt::format("{}.{}", path, i);
        const bool repeated = std::find(names.begin(), names.end(), names[i]) != names.begin() + static_cast<std::ptrdiff_t>(i);
        if (names[i].empty()) {
            problems.push_back({at, "a sublayer needs a name", suggestion("", known)});
        } else if (!contains(known, names[i])) {
            problems.push_back({at + ".name", fmt::format("the {} has no sublayer \"{}\"", stack.name, names[i]),
                                suggestion(names[i], known)});
        } else if (repeated) {
            problems.push_back({at + ".name", fmt::format("sublayer \"{}\" appears twice", names[i]), "remove one of them"});
        } else {
            Json slots = stack.given["sublayers"][i];
            slots.erase("name");
            validate(sublayerSchema(names[i]), slots, childPath(stack.name, names[i]), problems);
            list.emplace_back(names[i], std::move(slots));
        }
    }
    checkTogether(stack, names, problems);
    return list;
}

void checkExceptions(const GivenStack& stack, std::int64_t layerCount, std::vector<Problem>& problems) {
    if (!stack.given.contains("layers")) return;
    const std::string path = stack.name + ".layers";
    const Json& given = stack.given;
    if (!given["layers"].is_object()) {
        problems.push_back({path, "not an object", "write {\"0\":{\"self\":{…}}}"});
        return;
    }
    const auto names = namesIn(stack);
    for (const auto& [index, sublayers] : given["layers"].items()) {
        const std::string at = childPath(path, index);
        if (const auto number = layerNumber(index); number < 0 || number >= layerCount) {
            problems.push_back({at, fmt::format("there is no layer {}", index),
                                layerCount == 1
                                    ? fmt::format("the {} has one layer, or shares one (share): layer 0", stack.name)
                                    : fmt::format("the {} has layers 0 to {} (dims.{})", stack.name, layerCount - 1,
                                                  stack.name == "encoder" ? "layers_enc" : "layers_dec")});
        } else if (!sublayers.is_object()) {
            problems.push_back({at, "not an object", "write {\"self\":{…}}"});
        } else {
            for (const auto& [name, slots] : sublayers.items()) {
                if (contains(names, name))
                    validate(sublayerSchema(name), slots, childPath(at, name), problems);
                else
                    problems.push_back({childPath(at, name), fmt::format("unknown key \"{}\"", name), suggestion(name, names)});
            }
        }
    }
}

}  // namespace heddle
