// SPDX-License-Identifier: Apache-2.0
#include "app/session/request_limits.h"

#include "engine/spec/json.h"
#include "engine/spec/text_limits.h"

namespace heddle::app {
namespace {

std::string textOf(const Json& body, const char* key) {
    const auto found = body.find(key);
    return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The tags that are set, added or removed.
void requireShortTags(const Json& body, const std::string& where) {
    for (const Json& list : body) {
        if (!list.is_array()) continue;
        if (list.size() > kMaxTags)
            throwInvalid(std::to_string(list.size()) + " tags", where, "use at most " + std::to_string(kMaxTags));
        for (const Json& tag : list)
            if (tag.is_string()) requireShortTag(tag.get_ref<const std::string&>(), where);
    }
}

}  // namespace

void requireShortTexts(const storage::InboxRequest& request) {
    if (request.body.empty()) return;
    const std::string where = "request " + request.verb;
    if (request.body.size() > kMaxSpecBytes)
        throwInvalid("the request has " + std::to_string(request.body.size() >> 20) + " MiB", where, "shorten its texts");
    const Json body = parseJson(request.body, where);
    if (!body.is_object()) return;
    if (request.verb == "rename") requireShortName(textOf(body, "name"), where);
    if (request.verb == "note") requireShortNote(textOf(body, "text"), where);
    if (request.verb == "tag") requireShortTags(body, where);
    if (request.verb == "put_item" || request.verb == "remove_item")
        for (const char* key : {"kind", "key"}) requireShortName(textOf(body, key), where);
}

}  // namespace heddle::app
