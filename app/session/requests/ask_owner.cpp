// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/ask_owner.h"

#include "app/session/recorder/ownership.h"
#include "app/session/requests/edits.h"
#include "engine/base/error.h"
#include "engine/base/overload.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

namespace heddle::app {
namespace {

constexpr double kAnswerTimeout = 30;  ///< seconds; an owner reads its inbox four times a second, less often on a busy machine
constexpr std::chrono::milliseconds kPollInterval{50};

/// The text of an answer, if there is one. Throws Error(Failure) when the owner refused.
std::optional<std::string> answerOf(const std::string& database, std::int64_t request) {
    const auto answer = storage::readAnswer(database, request);
    if (!answer) return std::nullopt;
    if (!answer->first) throw Error(ErrorCode::Failure, answer->second, database, "");
    return answer->second;
}

/// After a timeout: withdraws the request and throws Error(Failure), or returns an answer that arrived meanwhile.
std::string withdrawOrAnswer(const std::string& database, std::int64_t request, double timeoutSeconds) {
    const bool isWithdrawn = storage::withdrawRequest(database, request);
    if (const auto text = answerOf(database, request)) return *text;
    const storage::Owner owner = storage::currentOwner(database);
    throw Error(ErrorCode::Failure, fmt::format("no answer came within {} s", timeoutSeconds),
                owner.empty() ? database : fmt::format("{}, owned by {}", database, owner.text()),
                isWithdrawn ? "the request was withdrawn and nothing changed; repeat it when the owner responds or has ended"
                            : "the owner has taken the request and may still execute it; check before you repeat it");
}

/// Opens the database; null while another process owns it.
std::unique_ptr<storage::RunStore> openUnlessOwned(const std::string& database, const std::string& owner) {
    try {
        return openAsOwner(database, {owner, 0});
    } catch (const storage::StorageError& error) {
        if (error.kind() != storage::StorageError::Kind::Locked) throw;
        return nullptr;
    }
}

/// Executes one edit as the owner; answers another process's request in the same transaction.
std::string executeEdit(storage::RunStore& store, const TimedEdit& edit, std::int64_t request = 0) {
    Ledger ledger(storage::RunQuery::open(store.file()));
    store.begin();
    std::string text = applyEdit(ledger, store, edit);
    ledger.flush(store);
    if (request != 0) store.answer(request, true, text);
    store.commit(storage::RunStore::Durability::Full);
    if (text.empty()) removeFolderOfDeleted(edit.edit, store.file());
    if (!store.isConfirmed()) store.checkpointWal();  // says so when the disk fails again
    return text;
}

template <std::size_t... I>
bool isVerbOfEdit(const std::string& verb, std::index_sequence<I...>) {
    return ((verbOf(std::variant_alternative_t<I, Edit>{}) == verb) || ...);
}

/// Executes the edits in the inbox, oldest first; leaves other requests to an owner that trains.
void executeWaitingEdits(storage::RunStore& store) {
    for (const auto& row : store.takeRequests()) {
        if (!isVerbOfEdit(row.verb, std::make_index_sequence<std::variant_size_v<Edit>>())) continue;
        if (!row.refusal.empty()) {
            store.answer(row.id, false, row.refusal);
            continue;
        }
        try {
            const Request request = parseRequest({row.verb, row.run, row.body});
            executeEdit(store, {std::get<Edit>(request), row.at}, row.id);
        } catch (const Error& error) {  // refused: the answer says why
            store.rollback();
            store.answer(row.id, false, error.what());
        }
    }
}

/// Executes the edits in the inbox of a database without owner. If the database cannot be written, withdraws `request`, so that
/// it is not executed later.
void takeOver(const std::string& database, const std::string& owner, std::int64_t request) {
    try {
        if (const auto store = openUnlessOwned(database, owner)) executeWaitingEdits(*store);
    } catch (const storage::StorageError&) {
        storage::withdrawRequest(database, request);
        throw;
    }
}

}  // namespace

std::int64_t putRequest(const std::string& database, const TimedRequest& request) {
    const StoredRequest stored = storedRequest(request.request);
    return storage::putRequest(database, {0, stored.verb, stored.run, stored.body, request.at});
}

std::string askOwner(const std::string& database, const TimedRequest& request, double timeoutSeconds,
                     const std::function<void()>& meanwhile) {
    const std::int64_t id = putRequest(database, request);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeoutSeconds);
    while (std::chrono::steady_clock::now() < end) {
        if (const auto text = answerOf(database, id)) return *text;
        try {
            if (meanwhile) meanwhile();
        } catch (...) {  // nobody waits any more
            storage::withdrawRequest(database, id);
            throw;
        }
        std::this_thread::sleep_for(kPollInterval);
    }
    return withdrawOrAnswer(database, id, timeoutSeconds);
}

std::string edit(const std::string& database, const Edit& edit) {
    const double at = storage::unixTime();
    const std::string owner = fmt::format("heddle {}", verbOf(edit));
    if (const auto store = openUnlessOwned(database, owner)) {
        executeWaitingEdits(*store);
        return executeEdit(*store, {edit, at});
    }
    // The owner executes the request. It may end before reading it, so this process becomes the owner whenever there is none. A
    // request has been executed if and only if it is answered.
    const std::int64_t request = putRequest(database, {edit, at});
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kAnswerTimeout);
    while (std::chrono::steady_clock::now() < end) {
        if (const auto text = answerOf(database, request)) return *text;
        if (storage::currentOwner(database).empty()) takeOver(database, owner, request);
        std::this_thread::sleep_for(kPollInterval);
    }
    return withdrawOrAnswer(database, request, kAnswerTimeout);
}

}  // namespace heddle::app
