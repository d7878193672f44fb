// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small things that the trainer's tests share: a sink that remembers, a tiny corpus and spec.

#include "engine/base/temporary_folder.h"
#include "engine/data/batching/batch.h"
#include "engine/run/engine.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {
class Model;
}

namespace heddle::test {

void writeFile(const std::string& path, const std::string& text);
std::string readFile(const std::string& path);
/// An IDX file of unsigned bytes with these sizes, each below 256.
void writeIdx(const std::string& path, const std::vector<std::uint8_t>& sizes, const std::string& values);
/// The parsed resources/golden.json.
Json golden();

/// Keeps every event; `onEvent` may put commands into a mailbox, `pressureNow` is what the trainer is told.
class RecordingSink final : public EventSink {
public:
    Pressure emit(Event event) override;
    Pressure pressure() const override { return pressureNow; }

    std::vector<Event> events;
    std::function<void(const Event&)> onEvent;
    mutable Pressure pressureNow = Pressure::None;

    /// The bodies of one kind, in order.
    template <typename Body>
    std::vector<Body> all() const {
        std::vector<Body> bodies;
        for (const Event& event : events)
            if (const auto* body = std::get_if<Body>(&event.body)) bodies.push_back(*body);
        return bodies;
    }
    /// All values of a scalar series, in order of the steps.
    std::vector<float> series(const std::string& name) const;
    /// Every state entered, in order.
    std::vector<RunState> states() const;
    /// One metric of one split, in order.
    std::vector<double> metric(const std::string& split, const std::string& name) const;
};

/// Sentence pairs of a toy language (each German-like word stands for one English-like word; adjectives change places).
using Pairs = std::vector<std::pair<std::string, std::string>>;
Pairs toyPairs(std::size_t count);

/// Pairs of ids of a made-up language of kMadeUpWords words, as a batch: row i has words(i) on both sides, and is row first + i
/// of the language.
inline constexpr std::int64_t kMadeUpWords = 20;
Batch madeUpBatch(std::int64_t first, std::int64_t rows, const std::function<std::int64_t(std::int64_t)>& words);

/// The variant of toySpec() as a user writes it: eau-full with one layer per side and width 16.
Json toyVariant();

/// A spec for toy data written into `folder`: toyVariant(), dropout on, one thread, 4 pairs per batch.
RunSpec toySpec(const std::string& folder, const Pairs& train, const Pairs& valid);

/// A request to train `spec` in `folder`/`run`.
TrainRequest toyRequest(const RunSpec& spec, const std::string& folder, const std::string& run);

/// Expects that every parameter of one model is bit for bit that of the other.
void expectSameParameters(const Model& a, const Model& b);

/// The engine under test, from the library's own factory.
std::unique_ptr<Engine> createEngine();

/// One attempt to train toySpec() on so many toy pairs, in a folder of its own. Tests change the spec, and put commands into
/// the mailbox before the run or from the sink's hook.
struct Attempt {
    Attempt(std::size_t train, std::size_t valid) : spec(toySpec(folder.path(), toyPairs(train), toyPairs(valid))) {}
    TrainOutcome run() { return createEngine()->train(toyRequest(spec, folder.path(), "run"), sink, mailbox); }

    TemporaryFolder folder;
    RunSpec spec;
    RecordingSink sink;
    Mailbox mailbox;
};

}  // namespace heddle::test
