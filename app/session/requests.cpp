// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests.h"

#include "app/session/checkpoint_folders.h"
#include "app/session/ownership.h"
#include "app/session/paths.h"
#include "app/session/request_limits.h"
#include "engine/run/run_state.h"
#include "engine/spec/error.h"
#include "engine/spec/json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

namespace heddle::app {
namespace {

constexpr double kOwnerPatience = 30;  ///< seconds; an owner reads its inbox four times a second, on a busy machine less often
constexpr std::chrono::milliseconds kLookForAnswer{50};
constexpr std::size_t kCandidatesShown = 10;

template <class T>
T member(const storage::InboxRequest& request, const char* key) {
    try {
        return parseJson(request.body, "request " + request.verb).at(key).get<T>();
    } catch (const Json::exception&) {
        throw Error(ErrorCode::Usage, fmt::format("the request lacks a usable \"{}\"", key), "request " + request.verb, "");
    }
}

std::vector<std::string> tags(const Json& body, const char* key) {
    return body.contains(key) ? body.at(key).get<std::vector<std::string>>() : std::vector<std::string>();
}

Ledger::TagChange tagChange(const storage::InboxRequest& request) {
    try {
        const Json body = parseJson(request.body, "request tag");
        if (body.contains("add") || body.contains("remove")) return {tags(body, "add"), tags(body, "remove")};
    } catch (const Json::exception&) {  // said below
    }
    throw Error(ErrorCode::Usage, "the request lacks usable lists \"add\" and \"remove\" of tags", "request tag", "");
}

Ledger::ItemChange itemChange(const storage::InboxRequest& request, std::optional<std::string> body) {
    return {member<std::string>(request, "kind"), member<std::string>(request, "key"), std::move(body)};
}

/// The text of an answer that has come. Throws Error(Failure) when the owner refused.
std::optional<std::string> answerOf(const std::string& database, std::int64_t request) {
    const auto answer = storage::readAnswer(database, request);
    if (!answer) return std::nullopt;
    if (!answer->first) throw Error(ErrorCode::Failure, answer->second, database, "");
    return answer->second;
}

/// Withdraws a request that was not answered in time and throws Error(Failure), or returns an answer that came meanwhile.
std::string giveUp(const std::string& database, std::int64_t request, double patienceSeconds) {
    const bool isWithdrawn = storage::withdrawRequest(database, request);
    if (const auto text = answerOf(database, request)) return *text;
    const std::string owner = storage::currentOwner(database);
    throw Error(ErrorCode::Failure, fmt::format("no answer came within {} s", patienceSeconds),
                owner.empty() ? database : fmt::format("{}, owned by {}", database, owner),
                isWithdrawn
                    ? "the request was withdrawn and nothing is changed; give it again when the owner works or has ended"
                    : "the owner has taken the request and may still carry it out; look before you give it again");
}

/// The database, or nothing while somebody else owns it.
std::unique_ptr<storage::RunStore> openUnlessOwned(const std::string& database, const std::string& owner) {
    try {
        auto store = storage::RunStore::open(database, {owner, 0});
        takeCharge(*store);
        return store;
    } catch (const storage::StorageError& error) {
        if (error.kind() != storage::StorageError::Kind::Locked) throw;
        return nullptr;
    }
}

/// Carries out one edit as the owner; that of another process is answered in the same transaction.
std::string carryOut(storage::RunStore& store, const storage::InboxRequest& request) {
    Ledger ledger(storage::RunQuery::open(store.file()));
    store.begin();
    const std::string text = applyEdit(ledger, store, request);
    ledger.flush(store);
    if (request.id != 0) store.answer(request.id, true, text);
    store.commit(storage::RunStore::Durability::Full);
    const bool hasFolder = storage::isRunId(request.run);  // a damaged row may have none
    if (request.verb == "delete" && text.empty() && hasFolder) removeRunFolder(store.file(), request.run);
    return text;
}

/// The edits that wait in the inbox, oldest first; other requests are left to an owner that trains.
void carryOutWaiting(storage::RunStore& store) {
    for (const auto& request : store.takeRequests()) {
        if (!isEdit(request.verb)) continue;
        try {
            carryOut(store, request);
        } catch (const Error& error) {  // refused: the answer says why
            store.rollback();
            store.answer(request.id, false, error.what());
        }
    }
}

/// Carries out what waits in the inbox of a database that nobody owns. A database that cannot be written keeps `request` from
/// being carried out later, unasked for.
void takeOver(const std::string& database, const std::string& owner, std::int64_t request) {
    try {
        if (const auto store = openUnlessOwned(database, owner)) carryOutWaiting(*store);
    } catch (const storage::StorageError&) {
        storage::withdrawRequest(database, request);
        throw;
    }
}

}  // namespace

bool isEdit(const std::string& verb) {
    constexpr std::array<std::string_view, 9> kEdits{"rename",  "tag",    "note",     "move",       "trash",
                                                     "restore", "delete", "put_item", "remove_item"};
    return std::find(kEdits.begin(), kEdits.end(), verb) != kEdits.end();
}

std::string applyEdit(Ledger& ledger, storage::RunStore& store, const storage::InboxRequest& request) {
    const auto& [id, verb, run, body, at] = request;
    std::string late;
    requireShortTexts(request);
    // A damaged row whose id is none can be deleted all the same.
    if (isEdit(verb) && verb != "put_item" && verb != "remove_item" && verb != "delete") requireRunId(run);
    if (verb == "rename")
        late = ledger.rename(store, run, member<std::string>(request, "name"), at);
    else if (verb == "tag")
        late = ledger.tag(store, run, tagChange(request), at);
    else if (verb == "note")
        ledger.note(store, run, member<std::string>(request, "text"));
    else if (verb == "move")
        ledger.move(store, run, member<std::int64_t>(request, "by"));
    else if (verb == "trash")
        late = ledger.trash(store, run, at);
    else if (verb == "restore")
        late = ledger.restore(store, run, at);
    else if (verb == "delete")
        late = ledger.remove(store, run, at);
    else if (verb == "put_item")
        late = ledger.setItem(store, itemChange(request, member<Json>(request, "body").dump()), at);
    else if (verb == "remove_item")
        late = ledger.setItem(store, itemChange(request, std::nullopt), at);
    else
        throw Error(ErrorCode::Usage, fmt::format("unknown request \"{}\"", verb), run, "");
    return late.empty() ? "" : "superseded: " + late;
}

void removeRunFolder(const std::string& database, const std::string& run) {
    requireRunId(run);
    discardFolder(std::filesystem::path(storage::artifactFolder(database)) / run);
}

std::string requireRunId(const std::string& run) {
    if (!storage::isRunId(run))
        throw Error(ErrorCode::InvalidInput, "not the id of a run", run,
                    "an id is 12 hexadecimal digits; see heddle runs list");
    return run;
}

std::string askOwner(const std::string& database, const storage::InboxRequest& request, double patienceSeconds,
                     const std::function<void()>& meanwhile) {
    const std::int64_t id = storage::putRequest(database, request);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patienceSeconds);
    while (std::chrono::steady_clock::now() < end) {
        if (const auto text = answerOf(database, id)) return *text;
        if (meanwhile) meanwhile();
        std::this_thread::sleep_for(kLookForAnswer);
    }
    return giveUp(database, id, patienceSeconds);
}

std::string edit(const std::string& database, storage::InboxRequest request) {
    if (request.at == 0) request.at = unixTime();
    const std::string owner = fmt::format("heddle {}, pid {}", request.verb, getpid());
    if (const auto store = openUnlessOwned(database, owner)) {
        carryOutWaiting(*store);
        return carryOut(*store, request);
    }
    // Whoever owns the database carries the request out. An owner may end before it reads it, so whenever there is none this
    // process takes the database: what is answered has been carried out, what is not has not.
    request.id = storage::putRequest(database, request);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kOwnerPatience);
    while (std::chrono::steady_clock::now() < end) {
        if (const auto text = answerOf(database, request.id)) return *text;
        if (storage::currentOwner(database).empty()) takeOver(database, owner, request.id);
        std::this_thread::sleep_for(kLookForAnswer);
    }
    return giveUp(database, request.id, kOwnerPatience);
}

void requireWhole(const storage::RunRecord& run) {
    if (run.damaged)
        throwInvalid("the run is damaged: " + run.reason, "run " + run.id, "restore a copy of the database, or delete the run");
}

void requireResumable(const storage::RunRecord& run) {
    if (run.state != name(RunState::Completed)) return;
    throw Error(ErrorCode::Usage, fmt::format("the run is complete: its training ended at step {}", run.step),
                fmt::format("{} \"{}\"", run.id, run.name),
                fmt::format("to train it further, give a new limit: heddle resume {} --epochs N (or --steps N)", run.id));
}

std::vector<storage::RunRecord> runsMeant(storage::RunQuery& query, const std::string& text) {
    auto found = query.matching(text);
    if (found.size() < 2 || found.front().id.starts_with(text)) return found;
    const auto dropUnlessAll = [&found](const auto& isUnlikely) {
        if (!std::all_of(found.begin(), found.end(), isUnlikely)) std::erase_if(found, isUnlikely);
    };
    dropUnlessAll([](const storage::RunRecord& run) { return run.trashed > 0; });
    dropUnlessAll([](const storage::RunRecord& run) { return run.state == name(RunState::Failed) && run.step == 0; });
    return found;
}

storage::RunRecord findRun(storage::RunQuery& query, const std::string& text) {
    const auto found = runsMeant(query, text);
    if (found.size() == 1) return found.front();
    if (found.empty())
        throw Error(ErrorCode::Usage, fmt::format("no run \"{}\"", text), "RUN",
                    "give an id, a unique prefix of one, or a unique name; heddle runs list shows them");
    std::string candidates;
    for (std::size_t i = 0; i < found.size() && i < kCandidatesShown; ++i)
        candidates += fmt::format("{}{} \"{}\" ({})", i ? ", " : "", found[i].id, found[i].name, found[i].state);
    if (found.size() > kCandidatesShown) candidates += fmt::format(", and {} more", found.size() - kCandidatesShown);
    throw Error(ErrorCode::Usage, fmt::format("\"{}\" may mean {} runs", text, found.size()), "RUN",
                "give the id of one of: " + candidates);
}

}  // namespace heddle::app
