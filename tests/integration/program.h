// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/base/temporary_folder.h"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::integration {

struct Result {
    int code = 0;  ///< exit code, or 128 + signal
    std::string out, err;
    Json json() const { return Json::parse(out); }
};

/// The built program as a child process, with a cache folder of its own, so that tests do not depend on what ran before.
class Program {
public:
    Program(std::vector<std::string> arguments, const std::filesystem::path& folder);
    ~Program();  ///< kills it if it still runs
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void signal(int number) const;
    pid_t id() const { return child_; }
    bool running();
    Result wait(double seconds = 120);  ///< kills it and fails the test when the time is over

private:
    pid_t child_ = 0;
    int status_ = 0;
    bool ended_ = false;
    std::filesystem::path out_, err_;
};

/// A folder with a tiny parallel corpus, a spec and a run database; removed at the end.
class Workshop {
public:
    Workshop();

    std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
    std::string write(const std::string& name, const std::string& text) const;
    std::string read(const std::string& name) const;
    /// heddle ARGUMENTS --db FILE --json
    Result run(std::vector<std::string> arguments) const;
    /// The same for a command that must succeed: returns its document, else throws std::runtime_error with what it said.
    Json must(const std::vector<std::string>& arguments) const;
    std::unique_ptr<Program> start(std::vector<std::string> arguments) const;
    /// The document of the only run in the database; waits until there is one.
    Json onlyRun() const;
    /// Waits until the only run has done so many steps; returns its id.
    std::string waitForStep(std::int64_t step) const;

    static std::string database() { return "t.heddle"; }

private:
    std::vector<std::string> complete(std::vector<std::string> arguments) const;
    TemporaryFolder temporary_;
    std::filesystem::path folder_ = temporary_ / "";
};

/// SHA-256 of the weights of the checkpoint marked last.
std::string lastWeights(const Json& run);

}  // namespace heddle::integration
