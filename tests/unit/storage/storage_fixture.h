// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/run_query.h"
#include "storage/run_store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace heddle::storage {

inline const std::string kRun = "0123456789ab";

/// A folder of its own for each test.
class StorageTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "heddle-storage-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        file_ = folder_ + "/runs.heddle";
    }
    void TearDown() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::unique_ptr<RunStore> openStore() { return RunStore::open(file_, {"test", 0}); }

    /// A store with one run in it.
    std::unique_ptr<RunStore> storeWithRun(const std::string& id = "0123456789ab") {
        auto store = openStore();
        store->addRun(runRecord(id));
        return store;
    }

    static RunRecord runRecord(const std::string& id, const std::string& name = "eau") {
        RunRecord run;
        run.id = id;
        run.name = name;
        run.state = "queued";
        run.spec = R"({"schema":1})";
        run.created = 1000;
        return run;
    }
    static SeriesAppend block(std::int64_t firstStep, std::vector<float> values, std::int64_t attempt = 1) {
        SeriesAppend series;
        series.run = "0123456789ab";
        series.attempt = attempt;
        series.name = "loss";
        series.firstStep = firstStep;
        series.values = std::move(values);
        return series;
    }
    static std::vector<float> ramp(std::size_t n, float first = 0) {
        std::vector<float> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = first + static_cast<float>(i);
        return values;
    }
    std::vector<RunQuery::Point> lossPoints(std::int64_t from = 0, std::int64_t to = INT64_MAX) {
        return RunQuery::open(file_)->points("0123456789ab", "loss", "", from, to);
    }

    std::string folder_, file_;
};

/// Runs `body` in a child process and returns its exit status as waitpid gives it.
inline int inChild(const std::function<int()>& body) {
    pid_t child = ::fork();
    if (child == 0) ::_exit(body());
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}
inline bool endedWell(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

inline std::uint32_t bitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }

template <class F>
std::optional<StorageError> errorOf(F&& f) {
    try {
        f();
    } catch (const StorageError& e) {
        return e;
    }
    return std::nullopt;
}
/// The kind of the StorageError that `f` throws; none if it throws none.
template <class F>
std::optional<StorageError::Kind> kindOf(F&& f) {
    const auto error = errorOf(f);
    return error ? std::optional(error->kind()) : std::nullopt;
}

}  // namespace heddle::storage
