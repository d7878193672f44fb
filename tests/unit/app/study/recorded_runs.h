// SPDX-License-Identifier: Apache-2.0
// Runs in a database as training would have recorded them, without training.
#pragma once

#include "engine/base/json.h"
#include "engine/spec/run_spec.h"
#include "tests/unit/app/session/session_fixture.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace heddle::app {

class RecordedRuns : protected SessionFixture {
protected:
    struct Recorded {
        std::string state = "completed";
        std::vector<std::string> hashes = {};  ///< of its data
        std::string runHash = "";
        std::string group = "";
        double value = 0;  ///< valid loss at the end
    };
    /// Returns its id. Each run is newer than the one before.
    std::string record(const RunSpec& spec, const Recorded& recorded) {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        storage::RunRecord run;
        run.id = fmt::format("{:012x}", ++count_);
        run.created = 1000 + count_;
        run.state = recorded.state;
        run.spec = canonicalJson(spec.toJson());
        run.runHash = recorded.runHash;
        run.seed = spec.seed;
        run.group = recorded.group;
        run.name = spec.name;
        store->addRun(run);
        if (recorded.state == "queued") return run.id;
        storage::AttemptRecord attempt;
        attempt.run = run.id;
        attempt.context = Json{{"data_hashes", recorded.hashes}}.dump();
        store->addAttempt(attempt);
        if (recorded.state == "completed")
            store->add(storage::EvaluationRecord{run.id, 1, 40, 0, "valid", "loss", "", recorded.value, 100, 0});
        return run.id;
    }
    static RunSpec seeded(RunSpec spec, std::uint64_t seed) {
        spec.seed = seed;
        return spec;
    }

private:
    int count_ = 0;
};

}  // namespace heddle::app
