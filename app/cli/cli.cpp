// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli.h"

#include "app/cli/escaping_stream.h"
#include "app/session/process/engine_loader.h"
#include "app/session/process/errors.h"
#include "engine/base/contains.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <iostream>
#include <utility>

namespace heddle::app {
namespace {

/// `heddle: what (where): what to do next`; unknown parts are omitted. `what` and `where` are one line; `next` may be a list.
std::string lineOf(const Error& error) {
    constexpr std::size_t kLongest = 2000;  // characters
    std::string line = "heddle: " + printableExcerpt(error.problem(), kLongest);
    if (!error.where().empty()) line += " (" + printableExcerpt(error.where(), kLongest) + ")";
    if (!error.next().empty()) line += ": " + error.next();
    return line;
}

}  // namespace

Json errorDocument(const Error& error) {
    return {{"schema", "heddle.error/1"},
            {"code", static_cast<int>(error.code())},
            {"what", error.problem()},
            {"where", error.where()},
            {"next", error.next()}};
}

void Context::print(const Json& document) const {
    // Texts from files may contain invalid UTF-8, which must not prevent the document.
    out << dumped(document, 2) << "\n";
}

void Context::print(const Json& document, const std::string& text) const {
    if (json)
        print(document);
    else
        out << text;
}

void Context::printError(const Error& error) const { err << lineOf(error) << "\n"; }

int runCli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err, const CliOptions& options) {
    const Terminal terminal = Terminal::detect();
    EscapingStream safeOut(out), safeErr(err);
    Context context{std::cin, safeOut, safeErr, terminal.output ? static_cast<std::ostream&>(safeOut) : out, err, terminal};
    context.engine = options.engine ? options.engine : loadEngine;
    // Needed before parsing, so that errors in the arguments can be printed as JSON, too.
    context.json = contains(arguments, "--json");
    int code = 0;
    try {
        CommandLine line(options.commands);
        if (const auto action = line.parse(arguments, context)) code = action(context);
    } catch (...) {
        const Error error = asError(std::current_exception(), "heddle");
        context.printError(error);
        if (context.json) context.print(errorDocument(error));
        code = static_cast<int>(error.code());
    }
    safeOut.flush();
    if ((!out || !safeOut) && code == 0) {
        err << "heddle: the result could not be written (standard output): is the disk full?\n";
        code = 1;
    }
    return code;
}

}  // namespace heddle::app
