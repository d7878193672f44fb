// SPDX-License-Identifier: GPL-3.0-or-later
// A database of its own and a RunControl that edits it, as the session would.
#pragma once

#include "engine/base/sha256.h"
#include "engine/base/temporary_folder.h"
#include "storage/run_query.h"
#include "storage/run_store.h"
#include "tests/ui/support/noting_control.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>

namespace heddle::ui::test {

class LibraryDatabase : public NotingControl {
public:
    const std::string& folder() const { return folder_.path(); }
    std::string file() const { return folder_ / "runs.heddle"; }

    void add(const std::string& id, const std::string& name, const std::string& state, double created) {
        const std::lock_guard lock(storing_);
        storage::RunRecord run;
        run.id = id;
        run.name = name;
        run.state = state;
        run.spec = R"({"schema":1,"variant":{"dims":{"d":64,"heads":4}}})";
        run.variantHash = run.runHash = "variant-" + name;
        run.seed = 3;
        run.created = created;
        run.step = 150;
        run.totalSteps = 300;
        run.seconds = 75;
        store_->addRun(run);
        storage::AttemptRecord attempt;
        attempt.run = id;
        attempt.device = "cpu";
        attempt.threads = 4;
        store_->addAttempt(attempt);
        store_->append({id, 1, "loss", "", 1, 1, {3.0F, 2.5F, 2.25F}, true});
        store_->add(storage::EvaluationRecord{id, 1, 100, 1, "valid", "loss", "ce:nats", 2.25, 2604, 0.5});
        const auto folder = std::filesystem::path(storage::artifactFolder(file())) / id / "step-1";
        std::filesystem::create_directories(folder);
        const std::string weights(2048, 'w');
        std::ofstream(folder / "weights.safetensors") << weights;
        store_->add(storage::CheckpointRecord{id, 1, 1, "last", id + "/step-1", sha256Hex(weights), "", "", 2048});
    }
    void add(const storage::CheckpointRecord& checkpoint) {
        const std::lock_guard lock(storing_);
        store_->add(checkpoint);
    }
    /// All or nothing, as the session does it.
    void change(const std::function<void(storage::RunStore&)>& change) {
        const std::lock_guard lock(storing_);
        store_->begin();
        try {
            change(*store_);
        } catch (...) {
            store_->rollback();
            throw;
        }
        store_->commit(storage::RunStore::Durability::Full);
    }
    std::optional<storage::RunRecord> run(const std::string& id) { return storage::RunQuery::open(file())->run(id); }

    std::atomic<bool> refusesEdits = false;

    std::string submit(const RunSpec&, const std::string&) override { return ""; }
    void resume(const std::string& run) override { note("resume " + run); }
    void command(const std::string& run, RunVerb verb, const std::string&) override {
        note((verb == RunVerb::Stop ? "stop " : verb == RunVerb::Pause ? "pause " : "other ") + run);
    }
    void edit(const Edit& edit) override {
        const std::string run = runOf(edit);
        if (run.empty()) return;  // the colour of a run that has appeared
        if (refusesEdits) throw std::runtime_error("the disk is full");
        note(verbOf(edit) + " " + run);
        const std::lock_guard lock(storing_);
        if (std::holds_alternative<DeleteRun>(edit)) return store_->deleteRun(run);
        if (const auto* note = std::get_if<AnnotateRun>(&edit))
            return store_->add(storage::EventRecord{run, 1, 0, 0, notes_ += 1, "note", note->text,
                                                    note->replaces == 0 ? "" : Json{{"replaces", note->replaces}}.dump()});
        auto record = *storage::RunQuery::open(file())->run(run);
        if (std::holds_alternative<TrashRun>(edit)) record.trashed = 1.7e9;
        if (std::holds_alternative<RestoreRun>(edit)) record.trashed = 0;
        if (const auto* renamed = std::get_if<RenameRun>(&edit)) record.name = renamed->name;
        if (const auto* tagged = std::get_if<TagRun>(&edit)) {
            for (const auto& tag : tagged->remove) std::erase(record.tags, tag);
            for (const auto& tag : tagged->add) record.tags.push_back(tag);
        }
        store_->updateRun(record);
    }

private:
    std::mutex storing_;
    double notes_ = 1.7e9;  ///< when the newest note was written
    TemporaryFolder folder_;
    std::unique_ptr<storage::RunStore> store_ = storage::RunStore::open(file(), {"library test", 0});
};

}  // namespace heddle::ui::test
