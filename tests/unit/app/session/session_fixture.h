// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/host/run_session.h"
#include "storage/run_query.h"
#include "storage/run_store.h"
#include "tests/eventually.h"
#include "tests/unit/app/session/fake_engine.h"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

/// A run of 40 steps in training, as a killed owner leaves it.
inline storage::RunRecord killedRecord(const std::string& id) {
    storage::RunRecord record;
    record.id = id;
    record.name = "killed";
    record.state = "running";
    record.spec = canonicalJson(smallSpec(record.name, 40).toJson());
    record.attempts = 1;
    return record;
}

/// A run database in a folder of its own, the fake engine, and sessions that commit every 10 ms.
class SessionFixture {
protected:
    RunSession::Options sessionOptions(const std::string& owner) const {
        RunSession::Options options;
        options.database = file_;
        options.owner = owner;
        options.engine = [engine = engine_] { return engine; };
        options.cacheFolder = folder_ / "cache";
        options.inboxEvery = options.recorder.commitEvery = options.recorder.retryEvery = std::chrono::milliseconds(10);
        return options;
    }
    std::unique_ptr<RunSession> open() const { return std::make_unique<RunSession>(sessionOptions("session test")); }
    std::unique_ptr<storage::RunQuery> query() const { return storage::RunQuery::open(file_); }
    /// As recorded; empty for a run that is not in the database.
    std::string stateOf(const std::string& run) const {
        const auto record = query()->run(run);
        return record ? record->state : "";
    }
    bool reaches(const std::string& run, const std::string& state) const {
        return eventually([&] { return stateOf(run) == state; });
    }

    /// Whether the newest attempt of a run ends.
    static bool ends(const RunSession& session, const std::string& run) {
        return eventually([&] { return session.ended(run).has_value(); });
    }
    /// The texts of a run's events of one kind.
    std::vector<std::string> texts(const std::string& run, const std::string& kind) const {
        std::vector<std::string> found;
        for (const auto& event : query()->events(run))
            if (event.kind == kind) found.push_back(event.text);
        return found;
    }
    /// Whether an action throws Error.
    static bool isRefused(const std::function<void()>& action) {
        try {
            action();
            return false;
        } catch (const Error&) {
            return true;
        }
    }
    static std::string whyRefused(const std::function<void()>& action) {
        try {
            action();
        } catch (const std::exception& error) {
            return error.what();
        }
        return "not refused";
    }

    /// The owner's answer to a row of the inbox as every version of the program has written it. Throws Error when it refuses.
    std::string answerTo(const storage::InboxRequest& row) const {
        const auto id = storage::putRequest(file_, row);
        std::optional<std::pair<bool, std::string>> answer;
        if (!eventually([&] { return (answer = storage::readAnswer(file_, id)).has_value(); }))
            throw std::runtime_error("no answer to " + row.verb);
        if (!answer->first) throw Error(ErrorCode::Failure, answer->second, file_, "");
        return answer->second;
    }

    TemporaryFolder folder_;
    std::string file_ = folder_ / "t.heddle";
    std::shared_ptr<FakeEngine> engine_ = std::make_shared<FakeEngine>();
};

}  // namespace heddle::app
