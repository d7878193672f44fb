// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/request_limits.h"

#include "engine/base/overload.h"
#include "engine/base/text_limits.h"

namespace heddle::app {
namespace {

void requireShortTags(const std::vector<std::string>& tags, const std::string& where) {
    if (tags.size() > kMaxTags)
        throwInvalid(std::to_string(tags.size()) + " tags", where, "use at most " + std::to_string(kMaxTags));
    for (const std::string& tag : tags) requireShortTag(tag, where);
}

void requireShortBody(const Json& body, const std::string& where) {
    const std::size_t bytes = dumped(body).size();
    if (bytes > kMaxSpecBytes) throwInvalid("the item has " + std::to_string(bytes >> 20) + " MiB", where, "shorten its texts");
}

}  // namespace

void requireShortTexts(const Edit& edit) {
    const std::string where = "request " + verbOf(edit);
    std::visit(Overload{
                   [&](const RenameRun& e) { requireShortName(e.name, where); },
                   [&](const TagRun& e) {
                       requireShortTags(e.add, where);
                       requireShortTags(e.remove, where);
                   },
                   [&](const AnnotateRun& e) { requireShortNote(e.text, where); },
                   [](const MoveRun&) {},
                   [](const TrashRun&) {},
                   [](const RestoreRun&) {},
                   [](const DeleteRun&) {},
                   [&](const PutItem& e) {
                       for (const std::string& name : {e.kind, e.key}) requireShortName(name, where);
                       requireShortBody(e.body, where);
                   },
                   [&](const RemoveItem& e) {
                       for (const std::string& name : {e.kind, e.key}) requireShortName(name, where);
                   },
               },
               edit);
}

}  // namespace heddle::app
