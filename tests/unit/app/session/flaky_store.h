// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_store.h"

#include <atomic>
#include <memory>

namespace heddle::app {

/// A real store whose commits fail like those of a full disk while `full` is set.
class FlakyStore final : public storage::RunStore {
public:
    struct Switch {
        std::atomic<bool> full = false;           ///< nothing can be committed
        std::atomic<bool> isLogStuck = false;     ///< the write-ahead log has room, the database file has not
        std::atomic<bool> isUnconfirmed = false;  ///< an fsync has failed
        std::atomic<bool> canConfirm = true;      ///< commits are on the disk after checkpointWal()
        std::atomic<int> failedCommits = 0, fullCommits = 0, normalCommits = 0;
    };
    FlakyStore(std::unique_ptr<storage::RunStore> store, std::shared_ptr<Switch> disk)
        : store_(std::move(store)), disk_(std::move(disk)) {}

    void begin() override { store_->begin(); }
    void commit(Durability durability) override {
        if (disk_->full) {
            ++disk_->failedCommits;
            store_->rollback();
            throw storage::StorageError(storage::StorageError::Kind::Full, "the disk is full", file(), "make room");
        }
        ++(durability == Durability::Full ? disk_->fullCommits : disk_->normalCommits);
        store_->commit(durability);
    }
    void rollback() override { store_->rollback(); }
    bool isConfirmed() const override { return !disk_->isUnconfirmed && store_->isConfirmed(); }
    void addRun(const storage::RunRecord& r) override { store_->addRun(r); }
    void updateRun(const storage::RunRecord& r) override { store_->updateRun(r); }
    void setState(const std::string& run, const std::string& state, const std::string& reason) override {
        store_->setState(run, state, reason);
    }
    void addAttempt(const storage::AttemptRecord& r) override { store_->addAttempt(r); }
    void updateAttempt(const storage::AttemptRecord& r) override { store_->updateAttempt(r); }
    void append(const storage::SeriesAppend& r) override { store_->append(r); }
    void add(const storage::EvaluationRecord& r) override { store_->add(r); }
    void add(const storage::HistogramRecord& r) override { store_->add(r); }
    void add(const storage::MapRecord& r) override { store_->add(r); }
    void add(const storage::SampleRecord& r) override { store_->add(r); }
    void add(const storage::CheckpointRecord& r) override { store_->add(r); }
    void removeCheckpoint(const std::string& run, std::int64_t step, const std::string& kind) override {
        store_->removeCheckpoint(run, step, kind);
    }
    void add(const storage::EventRecord& r) override { store_->add(r); }
    void deleteRun(const std::string& run) override { store_->deleteRun(run); }
    void importRun(const std::string& from, const std::string& run) override { store_->importRun(from, run); }
    std::uint64_t mapBytes(const std::string& run) const override { return store_->mapBytes(run); }
    void thinMaps(const std::string& run) override { store_->thinMaps(run); }
    void putItem(const std::string& kind, const std::string& key, const std::string& body) override {
        store_->putItem(kind, key, body);
    }
    void removeItem(const std::string& kind, const std::string& key) override { store_->removeItem(kind, key); }
    std::vector<storage::InboxRequest> takeRequests() override { return store_->takeRequests(); }
    const std::string& inboxNotice() const override { return store_->inboxNotice(); }
    void answer(std::int64_t request, bool ok, const std::string& text) override { store_->answer(request, ok, text); }
    void checkpointWal() override {
        if (disk_->isLogStuck)
            throw storage::StorageError(storage::StorageError::Kind::Full, "the disk is full", file(), "make room");
        if (disk_->isUnconfirmed && !disk_->canConfirm)
            throw storage::StorageError(storage::StorageError::Kind::InputOutput, "not confirmed", file(), "check the disk");
        disk_->isUnconfirmed = false;
        store_->checkpointWal();
    }
    std::string placeProblem() override { return store_->placeProblem(); }
    std::string recover() override { return store_->recover(); }
    const std::string& file() const override { return store_->file(); }
    const std::string& notice() const override { return store_->notice(); }

private:
    std::unique_ptr<storage::RunStore> store_;
    std::shared_ptr<Switch> disk_;
};

}  // namespace heddle::app
