// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/terminal.h"
#include "engine/base/json_fwd.h"

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

namespace heddle {
class Engine;
class Error;
}  // namespace heddle

namespace heddle::app {

/// Gives the engine; throws as loadEngine() does.
using EngineSource = std::function<std::shared_ptr<Engine>()>;

/// Inputs and outputs of every command.
struct Context {
    std::istream& in;
    std::ostream& out;     ///< only the result; an EscapingStream
    std::ostream& err;     ///< logs and progress; an EscapingStream
    std::ostream& lines;   ///< also stdout: generated lines, raw unless stdout is a terminal
    std::ostream& screen;  ///< `err` without escaping, for Heddle's own control sequences
    Terminal terminal;
    std::string database = "./runs.heddle";
    bool json = false;
    EngineSource engine = {};

    /// Prints the document of a --json command.
    void print(const Json& document) const;
    /// Prints the document with --json, otherwise the text.
    void print(const Json& document, const std::string& text) const;
    /// Prints `heddle: what (where): what to do next` on `err`.
    void printError(const Error& error) const;
};

/// The document of an error, heddle.error/1.
Json errorDocument(const Error& error);

}  // namespace heddle::app
