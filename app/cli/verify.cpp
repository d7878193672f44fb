// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verify_command.h"

#include "app/cli/commands.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/resources.h"

#include <fmt/format.h>

#include <ostream>

namespace heddle::app {
namespace {

struct VerifyOptions {
    std::string golden, only, device;
    bool quick = false;
};

const char* nameOf(VerifyCheck::Status status) {
    switch (status) {
    case VerifyCheck::Status::Pass: return "pass";
    case VerifyCheck::Status::Fail: return "fail";
    case VerifyCheck::Status::Reported: return "reported";
    }
    return "";
}

int verify(const VerifyOptions& options, const VerifyCommand& command, const Context& context) {
    const bool isShipped = options.golden.empty();
    const Json golden = readJsonFile(isShipped ? resourcePath("golden.json") : options.golden);
    // Without --quick the file that ships with Heddle is checked together with what takes longer: training passes on a device
    // and, by heddle-dev, properties.
    const auto checks = command.run({golden, isShipped && !options.quick, options.only, options.device}, context);
    if (checks.empty()) throwInvalid("unknown check", options.only, "omit --only to run all checks");
    int passed = 0, failed = 0, reported = 0;
    Json all = Json::array();
    for (const auto& check : checks) {
        (check.status == VerifyCheck::Status::Pass   ? passed
         : check.status == VerifyCheck::Status::Fail ? failed
                                                     : reported) += 1;
        all.push_back(
            {{"name", check.name}, {"status", nameOf(check.status)}, {"max_error", check.maxError}, {"detail", check.detail}});
        if (!context.json)
            context.out << fmt::format("{:<8}  {}  max error {:.3g}{}{}\n", nameOf(check.status), check.name, check.maxError,
                                       check.detail.empty() ? "" : "  ", printable(check.detail));
    }
    if (context.json)
        context.print(
            {{"schema", "heddle.verify/1"}, {"passed", passed}, {"failed", failed}, {"reported", reported}, {"checks", all}});
    else
        context.out << fmt::format("{} passed, {} failed, {} reported\n", passed, failed, reported);
    return failed == 0 ? 0 : 1;
}

}  // namespace

void addVerifyCommand(CommandBuilder& root, const VerifyCommand& command) {
    auto o = std::make_shared<VerifyOptions>();
    root.command("verify", command.summary)
        .option("--golden", o->golden, "FILE", command.golden)
        .option("--only", o->only, "NAME", "One case only")
        .option("--device", o->device, "DEVICE",
                "Run the cases on this device, and compare every preset's training pass on it with the CPU's")
        .flag("--quick", o->quick, command.quick)
        .examples(command.examples)
        .action([o, command](Context& context) { return verify(*o, command, context); });
}

void addVerify(CommandBuilder& root) {
    addVerifyCommand(
        root, {"Run golden cases and parameter counts through the modules that training uses",
               "Cases of the same format (default: those that ship with Heddle)",
               "Golden cases and parameter counts alone, in seconds: with --device, no training passes",
               "heddle verify\nheddle verify --only grc --json\nheddle verify --golden mine.json\nheddle verify --device cuda\n"
               "heddle verify --device cuda --quick",
               [](const VerifyRequest& request, const Context& context) { return context.engine()->verify(request); }});
}

}  // namespace heddle::app
