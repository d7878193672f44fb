// SPDX-License-Identifier: Apache-2.0
#include "engine/run/requests.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/text_limits.h"
#include "engine/spec/catalogue.h"

#include <optional>
#include <tuple>
#include <type_traits>

namespace heddle {
namespace {

constexpr const char* kOtherVersion = "use the version of Heddle that owns the database";

std::string placeOf(const StoredRequest& stored) { return "request " + stored.verb; }

Json bodyOf(const StoredRequest& stored) { return parseJson(stored.body, placeOf(stored)); }

[[noreturn]] void refuse(const StoredRequest& stored, const std::string& what) {
    throw Error(ErrorCode::Usage, "the request lacks " + what, placeOf(stored), kOtherVersion);
}

template <class T>
T member(const StoredRequest& stored, const char* key) {
    const Json body = bodyOf(stored);
    const auto found = body.find(key);
    try {
        if (found != body.end()) return found->get<T>();
    } catch (const Json::exception&) {  // wrong type
    }
    refuse(stored, "a usable \"" + std::string(key) + "\"");
}

// ---- bodies: one pair of functions for each alternative; the run is already set when read() is called

/// A request that has no member but its run.
template <class T>
concept HasRunOnly = sizeof(T) == sizeof(std::string) && requires(T one) {
    one.run;
};

template <HasRunOnly T>
std::string bodyText(const T&) {
    return "{}";
}
template <HasRunOnly T>
void read(T&, const StoredRequest&) {}

/// The spec alone where the run has no group, as in all versions.
std::string bodyText(const EnqueueRun& r) {
    return canonicalJson(r.group.empty() ? r.spec.toJson() : Json{{"group", r.group}, {"spec", r.spec.toJson()}});
}
void read(EnqueueRun& r, const StoredRequest& stored) {
    const Json body = bodyOf(stored);
    const bool hasGroup = body.is_object() && body.contains("group");
    if (hasGroup) r.group = member<std::string>(stored, "group");
    r.spec = RunSpec::parse(hasGroup ? member<Json>(stored, "spec") : body, builtinCatalogue());
}

std::string bodyText(const AskRun& r) { return r.question.dump(); }
void read(AskRun& r, const StoredRequest& stored) { r.question = bodyOf(stored); }

std::string bodyText(const RenameRun& r) { return Json{{"name", r.name}}.dump(); }
void read(RenameRun& r, const StoredRequest& stored) { r.name = member<std::string>(stored, "name"); }

std::string bodyText(const TagRun& r) { return Json{{"add", r.add}, {"remove", r.remove}}.dump(); }
void read(TagRun& r, const StoredRequest& stored) {
    const Json body = bodyOf(stored);
    if (!body.contains("add") && !body.contains("remove")) refuse(stored, "the lists \"add\" and \"remove\" of tags");
    if (body.contains("add")) r.add = member<std::vector<std::string>>(stored, "add");
    if (body.contains("remove")) r.remove = member<std::vector<std::string>>(stored, "remove");
}

std::string bodyText(const AnnotateRun& r) {
    Json body{{"text", r.text}};
    if (r.replaces != 0) body["replaces"] = r.replaces;
    return body.dump();
}
void read(AnnotateRun& r, const StoredRequest& stored) {
    r.text = member<std::string>(stored, "text");
    if (bodyOf(stored).contains("replaces")) r.replaces = member<double>(stored, "replaces");
}

std::string bodyText(const MoveRun& r) { return Json{{"by", r.by}}.dump(); }
void read(MoveRun& r, const StoredRequest& stored) { r.by = member<std::int64_t>(stored, "by"); }

std::string bodyText(const PutItem& r) { return Json{{"kind", r.kind}, {"key", r.key}, {"body", r.body}}.dump(); }
void read(PutItem& r, const StoredRequest& stored) {
    r = {member<std::string>(stored, "kind"), member<std::string>(stored, "key"), member<Json>(stored, "body")};
}

std::string bodyText(const RemoveItem& r) { return Json{{"kind", r.kind}, {"key", r.key}}.dump(); }
void read(RemoveItem& r, const StoredRequest& stored) {
    r = {member<std::string>(stored, "kind"), member<std::string>(stored, "key")};
}

// ---- the verbs

template <class T>
struct Verb {
    std::string_view word;
};

/// The only place that spells the verbs.
constexpr std::tuple kVerbs{
    Verb<EnqueueRun>{"enqueue"},       Verb<PauseRun>{"pause"},   Verb<ResumeRun>{"resume"},      Verb<StopRun>{"stop"},
    Verb<CheckpointRun>{"checkpoint"}, Verb<AskRun>{"ask"},       Verb<RenameRun>{"rename"},      Verb<TagRun>{"tag"},
    Verb<AnnotateRun>{"note"},         Verb<MoveRun>{"move"},     Verb<TrashRun>{"trash"},        Verb<RestoreRun>{"restore"},
    Verb<DeleteRun>{"delete"},         Verb<PutItem>{"put_item"}, Verb<RemoveItem>{"remove_item"}};
static_assert(std::tuple_size_v<decltype(kVerbs)> + 1 == std::variant_size_v<Request> + std::variant_size_v<Edit>);

template <class T>
Request parsedAs(const StoredRequest& stored) {
    T one;
    if constexpr (requires { one.run; }) one.run = stored.run;
    read(one, stored);
    return one;
}

/// Calls `f` with the alternative, also inside Edit.
template <class F>
auto visitRequest(const Request& request, const F& f) {
    return std::visit(
        [&f](const auto& one) {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Edit>)
                return std::visit(f, one);
            else
                return f(one);
        },
        request);
}

}  // namespace

StoredRequest storedRequest(const Request& request) {
    return {verbOf(request), runOf(request), visitRequest(request, [](const auto& one) { return bodyText(one); })};
}

Request parseRequest(const StoredRequest& stored) {
    if (stored.body.size() > kMaxSpecBytes)
        throwInvalid("the request has " + std::to_string(stored.body.size() >> 20) + " MiB", placeOf(stored),
                     "shorten its texts");
    std::optional<Request> request;
    const auto parseIfMeant = [&]<class T>(const Verb<T>& verb) {
        if (verb.word == stored.verb) request = parsedAs<T>(stored);
    };
    std::apply([&](const auto&... verbs) { (parseIfMeant(verbs), ...); }, kVerbs);
    if (!request) throw Error(ErrorCode::Usage, "unknown request \"" + stored.verb + "\"", stored.run, kOtherVersion);
    return std::move(*request);
}

bool startsTraining(const Request& request) {
    return std::holds_alternative<EnqueueRun>(request) || std::holds_alternative<ResumeRun>(request);
}

std::string verbOf(const Request& request) {
    return visitRequest(request, []<class T>(const T&) { return std::string(std::get<Verb<T>>(kVerbs).word); });
}

std::string runOf(const Request& request) {
    return visitRequest(request, [](const auto& one) -> std::string {
        if constexpr (requires { one.run; })
            return one.run;
        else
            return "";
    });
}

Error refusalOf(const Json& answer) {
    if (!answer.is_object())
        return {ErrorCode::Failure, answer.is_string() ? answer.get<std::string>() : answer.dump(), "", ""};
    return {ErrorCode::Usage, answer.value("what", ""), answer.value("where", ""), answer.value("next", "")};
}

Request requestOf(RunVerb verb, const std::string& run) {
    switch (verb) {
    case RunVerb::Start:
    case RunVerb::Resume: return ResumeRun{run};
    case RunVerb::Pause: return PauseRun{run};
    case RunVerb::Stop: return StopRun{run};
    case RunVerb::Checkpoint: return CheckpointRun{run};
    case RunVerb::Delete: return DeleteRun{run};
    }
    throw Error(ErrorCode::Failure, "not a verb", run, "");
}

}  // namespace heddle
