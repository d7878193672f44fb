// SPDX-License-Identifier: Apache-2.0
#include "engine/run/surroundings.h"

#include <algorithm>

namespace heddle {
namespace {

std::string textIn(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool isPlain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./=:,@%+").find(c) != std::string_view::npos;
}

}  // namespace

Json surroundingsJson(const Surroundings& surroundings) {
    Json all = Json::object();
    if (!surroundings.command.empty()) all["command"] = surroundings.command;
    if (!surroundings.folder.empty()) all["folder"] = surroundings.folder;
    if (!surroundings.commit.empty()) all["git"] = {{"commit", surroundings.commit}, {"dirty", surroundings.isDirty}};
    return all;
}

Surroundings surroundingsIn(const std::string& context) {
    const Json all = Json::parse(context, nullptr, false);
    Surroundings found;
    if (!all.is_object()) return found;
    if (const auto command = all.find("command"); command != all.end() && command->is_array())
        for (const Json& argument : *command)
            if (argument.is_string()) found.command.push_back(argument);
    found.folder = textIn(all, "folder");
    const auto git = all.find("git");
    if (git == all.end() || !git->is_object()) return found;
    found.commit = textIn(*git, "commit");
    const auto dirty = git->find("dirty");
    found.isDirty = dirty != git->end() && dirty->is_boolean() && dirty->get<bool>();
    return found;
}

std::string commandText(const std::vector<std::string>& command) {
    std::string text;
    for (const std::string& argument : command) {
        if (!text.empty()) text += ' ';
        if (!argument.empty() && std::all_of(argument.begin(), argument.end(), isPlain)) {
            text += argument;
            continue;
        }
        text += '\'';
        for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        text += '\'';
    }
    return text;
}

}  // namespace heddle
