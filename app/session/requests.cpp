// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests.h"

#include "app/session/checkpoint_folders.h"
#include "engine/spec/error.h"
#include "engine/spec/json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <thread>

namespace heddle::app {
namespace {

constexpr double kOwnerPatience = 10;  ///< seconds; an owner reads its inbox four times a second
constexpr std::size_t kCandidatesShown = 10;

template <class T>
T member(const storage::InboxRequest& request, const char* key) {
    try {
        return parseJson(request.body, "request " + request.verb).at(key).get<T>();
    } catch (const Json::exception&) {
        throw Error(ErrorCode::Usage, fmt::format("the request lacks a usable \"{}\"", key), "request " + request.verb, "");
    }
}

}  // namespace

bool isEdit(const std::string& verb) {
    constexpr std::array<std::string_view, 9> kEdits{"rename",  "tag",    "note",     "move",       "trash",
                                                     "restore", "delete", "put_item", "remove_item"};
    return std::find(kEdits.begin(), kEdits.end(), verb) != kEdits.end();
}

void applyEdit(Ledger& ledger, storage::RunStore& store, const storage::InboxRequest& request) {
    if (request.verb == "rename")
        ledger.rename(store, request.run, member<std::string>(request, "name"));
    else if (request.verb == "tag")
        ledger.tag(store, request.run, member<std::vector<std::string>>(request, "tags"));
    else if (request.verb == "note")
        ledger.note(store, request.run, member<std::string>(request, "text"));
    else if (request.verb == "move")
        ledger.move(store, request.run, member<std::int64_t>(request, "by"));
    else if (request.verb == "trash")
        ledger.trash(store, request.run);
    else if (request.verb == "restore")
        ledger.restore(store, request.run);
    else if (request.verb == "delete")
        ledger.remove(store, request.run);
    else if (request.verb == "put_item")
        store.putItem(member<std::string>(request, "kind"), member<std::string>(request, "key"),
                      member<Json>(request, "body").dump());
    else if (request.verb == "remove_item")
        store.removeItem(member<std::string>(request, "kind"), member<std::string>(request, "key"));
    else
        throw Error(ErrorCode::Usage, fmt::format("unknown request \"{}\"", request.verb), request.run, "");
}

void removeRunFolder(const std::string& database, const std::string& run) {
    discardFolder(std::filesystem::path(storage::artifactFolder(database)) / run);
}

std::string askOwner(const std::string& database, const storage::InboxRequest& request, double patienceSeconds,
                     const std::function<void()>& meanwhile) {
    const std::int64_t id = storage::putRequest(database, request);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patienceSeconds);
    while (std::chrono::steady_clock::now() < end) {
        if (const auto answer = storage::readAnswer(database, id)) {
            if (!answer->first) throw Error(ErrorCode::Failure, answer->second, database, "");
            return answer->second;
        }
        if (meanwhile) meanwhile();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    throw Error(ErrorCode::Failure, fmt::format("the owner did not answer within {} s", patienceSeconds),
                fmt::format("{}, owned by {}", database, storage::currentOwner(database)),
                "the request stays in its inbox and is carried out when the owner comes to it");
}

void edit(const std::string& database, const storage::InboxRequest& request) {
    std::unique_ptr<storage::RunStore> store;
    try {
        store = storage::RunStore::open(database, {fmt::format("heddle {}, pid {}", request.verb, getpid()), 0});
    } catch (const storage::StorageError& error) {
        if (error.kind() != storage::StorageError::Kind::Locked) throw;
        askOwner(database, request, kOwnerPatience);
        return;
    }
    Ledger ledger(storage::RunQuery::open(database));
    store->begin();
    applyEdit(ledger, *store, request);
    ledger.flush(*store);
    store->commit(storage::RunStore::Durability::Full);
    if (request.verb == "delete") removeRunFolder(database, request.run);
}

storage::RunRecord findRun(storage::RunQuery& query, const std::string& text) {
    const auto found = query.matching(text);
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
