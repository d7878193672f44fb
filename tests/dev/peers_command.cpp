// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/paths.h"
#include "engine/base/error.h"
#include "engine/base/temporary_folder.h"
#include "tests/dev/commands.h"
#include "tests/dev/peer_rows.h"

#include <fmt/format.h>

#include <map>
#include <ostream>

namespace heddle::dev {
namespace {

constexpr const char* kScriptVariable = "HEDDLE_PEERS_SCRIPT";
constexpr std::int64_t kRounds = 3;

struct PeerOptions : app::BenchOptions {
    std::vector<std::string> peers;
    std::string batches;
    PeerScript script;
};

PeerScript scriptOf(const PeerOptions& options) {
    PeerScript script = options.script;
    if (script.file.empty()) script.file = app::environment(kScriptVariable);
    if (script.file.empty())
        throw Error(ErrorCode::Usage, "no script of the peers given", "heddle-dev bench peers",
                    fmt::format("give --peers-script FILE, or set {}", kScriptVariable));
    if (options.settings.small)
        throw Error(ErrorCode::Usage, "the peers have no small workloads", "heddle-dev bench peers",
                    "leave out --small; W5s-raw is the smallest");
    return script;
}

std::vector<std::string> chosenPeers(const PeerOptions& options) {
    if (!options.peers.empty()) return options.peers;
    if (app::deviceKind(options.settings) == "cuda") return {"graph-compile", "compile", "tuned-amp", "lib-amp"};
    return {"eager-fp32", "tuned-fp32", "compile-fp32"};
}

bool isHeddle(const std::string& engine) { return engine == app::kHeddle || engine == app::kHeddleNondeterministic; }

/// On a GPU both variants are measured, since determinism costs time.
std::vector<std::string> heddleEngines(const BenchSettings& settings) {
    if (settings.nondeterministic) return {app::kHeddleNondeterministic};
    if (app::deviceKind(settings) == "cuda") return {app::kHeddle, app::kHeddleNondeterministic};
    return {app::kHeddle};
}

BenchSettings ofEngine(BenchSettings settings, const std::string& engine) {
    settings.nondeterministic = engine == app::kHeddleNondeterministic;
    return settings;
}

/// Measures every workload with Heddle and its peers alternately, each time in a new process.
std::vector<Json> inRounds(const std::vector<std::string>& workloads, const PeerOptions& options, const app::Context& context) {
    BenchSettings settings = options.settings;
    const PeerScript script = scriptOf(options);
    const std::vector<std::string> peers = chosenPeers(options);
    const TemporaryFolder dumped;
    std::string batches = options.batches;
    if (batches.empty()) {
        context.err << "writing the peers' batches" << std::endl;
        batches = dumped / "batches.bin";
        dumpPeerBatches(workloads, batches, script, settings);
    }
    const std::int64_t rounds = settings.repeats.value_or(kRounds);
    settings.repeats = 1;
    // Rows are printed and written at once, since a benchmark takes long. A failure becomes a row and the rest continues.
    const auto record = [&](const std::string& workload, const std::string& engine, std::int64_t round) {
        const std::string place = fmt::format("{}: turn {} of {}: {}", workload, round, rounds, engine);
        Json row;
        try {
            row = isHeddle(engine) ? app::measureInNewProcess(workload, ofEngine(settings, engine), {"--batches", batches})
                                   : measurePeer(workload, engine, script, settings);
            context.err << fmt::format("{}: {:.0f} ms a step", place, row.at("step_ms").get<double>()) << std::endl;
        } catch (const Error& error) {
            row = app::failureRow(workload, engine, error);
            context.err << fmt::format("{}: {}", place, error.what()) << std::endl;
        }
        app::saveRow(row, round, settings);
        return row;
    };
    std::vector<std::string> engines = heddleEngines(settings);
    engines.insert(engines.end(), peers.begin(), peers.end());
    std::vector<Json> rows;
    for (const std::string& workload : workloads) {
        std::map<std::string, std::vector<Json>> rowsOf;
        for (std::int64_t round = 1; round <= rounds; ++round)
            for (const std::string& engine : engines) rowsOf[engine].push_back(record(workload, engine, round));
        for (const std::string& engine : engines) rows.push_back(mergeRounds(rowsOf[engine]));
    }
    return rows;
}

int benchPeers(const PeerOptions& options, const app::Context& context) {
    app::checkCounts(options.settings);
    const std::vector<Json> rows = inRounds(app::chosenWorkloads(options), options, context);
    return app::printRows(rows, ratiosOf(rows), options.settings, context);
}

}  // namespace

void addPeers(app::CommandBuilder& bench) {
    auto o = std::make_shared<PeerOptions>();
    auto peers = bench.command("peers",
                               "Time training steps of Heddle and of PyTorch in turn, on the same batches; on a GPU Heddle "
                               "with deterministic kernels and without");
    app::addBenchOptions(peers, *o)
        .option("--repeats", o->settings.repeats, "N", "Turns, each a process (default: 3)")
        .option("--batches", o->batches, "FILE", "A file that peers.py --dump-batches wrote (default: peers.py writes one)")
        .option("--peer", o->peers, "NAME", "This peer of peers.py instead of the usual ones; may be given several times")
        .option("--python", o->script.python, "PROGRAM", "A Python that has torch (default: python3)")
        .option("--peers-script", o->script.file, "FILE", "peers.py (default: $HEDDLE_PEERS_SCRIPT)")
        .examples("heddle-dev bench peers W1 W6 --peers-script peers.py --threads 2")
        .action([o](app::Context& context) { return benchPeers(*o, context); });
}

}  // namespace heddle::dev
