// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/program.h"

#include "app/session/process/child_process.h"
#include "engine/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace heddle::integration {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string readFile(const fs::path& file) { return tryReadWholeFile(file).value_or(""); }

/// The environment of the test, with a cache folder of its own and without the user's database.
std::vector<std::string> environmentFor(const fs::path& folder) {
    std::vector<std::string> all{"XDG_CACHE_HOME=" + (folder / "cache").string()};
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        if (text.rfind("XDG_CACHE_HOME=", 0) != 0 && text.rfind("HEDDLE_DB=", 0) != 0) all.push_back(text);
    }
    return all;
}

const char* kSpec = R"({
  "variant": {"preset": "eau-full", "dims": {"d": 32, "f": 64, "heads": 4, "layers_enc": 1, "layers_dec": 1, "max_len": 32}},
  "data": {"train": {"source": "train.src", "target": "train.tgt"}, "valid": {"source": "train.src", "target": "train.tgt"},
           "tokenizer": {"kind": "words", "min_count": 1}},
  "train": {"lr": 0.003, "batch": {"sentences": 6}, "label_smoothing": 0, "checkpoint_every": 20, "threads": 1, "device": "cpu"},
  "evaluate": {"every_epochs": 0, "every_steps": 40},
  "record": {"maps_every": 16, "histograms_every": 16}
})";

}  // namespace

Program::Program(std::vector<std::string> arguments, const fs::path& folder) {
    static int number = 0;
    out_ = folder / ("out-" + std::to_string(++number));
    err_ = folder / ("err-" + std::to_string(number));
    arguments.insert(arguments.begin(), HEDDLE_BINARY_DIR "/bin/heddle");
    auto environment = environmentFor(folder);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int failed = posix_spawn(&child_, arguments[0].c_str(), &actions, nullptr, app::pointersTo(arguments).data(),
                                   app::pointersTo(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(failed, 0) << "cannot start " << arguments[0];
    ended_ = failed != 0;
}

Program::~Program() {
    if (!running()) return;
    kill(child_, SIGKILL);
    waitpid(child_, &status_, 0);
}

void Program::signal(int number) const { kill(child_, number); }

bool Program::running() {
    if (!ended_ && waitpid(child_, &status_, WNOHANG) == child_) ended_ = true;
    return !ended_;
}

Result Program::wait(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (running()) {
        if (Clock::now() > end) {
            ADD_FAILURE() << "the program did not end within " << seconds << " s; it said: " << readFile(err_);
            kill(child_, SIGKILL);
            waitpid(child_, &status_, 0);
            ended_ = true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), readFile(out_), readFile(err_)};
}

Workshop::Workshop() {
    // Every sentence is different, and the order of the words is turned round: something to learn by heart. Four words,
    // because a shorter sentence has no 4-gram and so no BLEU.
    std::string source, target;
    const std::vector<std::string> who{"ana", "ben", "cid", "dora"}, does{"sees", "hears", "paints"}, what{"birds", "hills"};
    for (const auto& a : who)
        for (const auto& b : does)
            for (const auto& c : what) {
                source += a + " " + b + " " + c + " .\n";
                target += c + "e " + a + "o " + b + "t .\n";
            }
    write("train.src", source);
    write("train.tgt", target);
    write("spec.json", kSpec);
}

std::string Workshop::write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
}

std::string Workshop::read(const std::string& name) const { return readFile(folder_ / name); }

std::vector<std::string> Workshop::complete(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--db", (folder_ / database()).string(), "--json"});
    return arguments;
}

std::unique_ptr<Program> Workshop::start(std::vector<std::string> arguments) const {
    return std::make_unique<Program>(complete(std::move(arguments)), folder_);
}

Result Workshop::run(std::vector<std::string> arguments) const { return start(std::move(arguments))->wait(); }

Json Workshop::must(const std::vector<std::string>& arguments) const {
    const Result result = run(arguments);
    if (result.code != 0)
        throw std::runtime_error("heddle " + arguments.at(0) + " ended with " + std::to_string(result.code) + ": " +
                                 result.err);
    return result.json();
}

Json Workshop::onlyRun() const {
    for (int i = 0; i < 200; ++i) {
        if (const auto list = run({"runs", "list"}); list.code == 0 && list.json().at("runs").size() == 1)
            return list.json().at("runs").at(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "no run appeared";
    return {};
}

std::string Workshop::waitForStep(std::int64_t step) const {
    for (int i = 0; i < 400; ++i) {
        const Json only = onlyRun();
        if (only.is_null() || only.at("steps") >= step) return only.value("run", "");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "step " << step << " was not reached";
    return "";
}

std::string lastWeights(const Json& run) {
    for (const auto& checkpoint : run.at("checkpoints"))
        if (checkpoint.at("kind") == "last") return checkpoint.at("weights_sha256");
    ADD_FAILURE() << "no last checkpoint in " << run.dump();
    return "";
}

}  // namespace heddle::integration
