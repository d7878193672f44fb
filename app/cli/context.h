// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/terminal.h"
#include "engine/base/json.h"

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

namespace heddle {
class Engine;
}

namespace heddle::app {

/// Where a command that trains takes its engine from; empty: loadEngine().
using EngineSource = std::function<std::shared_ptr<Engine>()>;

/// What every command works with.
struct Context {
    std::istream& in;
    std::ostream& out;     ///< the result only; an EscapingStream
    std::ostream& err;     ///< logs and progress; an EscapingStream
    std::ostream& lines;   ///< of stdout too: lines that a model makes, raw unless a terminal shows them
    std::ostream& screen;  ///< `err` without escaping, for Heddle's own control sequences
    Terminal terminal;
    std::string database = "./runs.heddle";
    bool json = false;
    EngineSource engine = {};

    /// Writes the one document of a --json command.
    void print(const Json& document) const;
};

}  // namespace heddle::app
