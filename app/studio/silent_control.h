// SPDX-License-Identifier: GPL-3.0-or-later
// A read-only control for --shots. Ignores edits, such as colours that pages assign to variants.
#pragma once

#include "engine/base/error.h"
#include "engine/run/run_control.h"

namespace heddle::studio {

class SilentControl final : public RunControl {
public:
    std::string submit(const RunSpec&) override { refuse(); }
    void resume(const std::string&) override { refuse(); }
    void command(const std::string&, RunVerb, const std::string&) override { refuse(); }
    void edit(const Edit&) override {}
    void ask(const std::string&, const Json&, std::function<void(bool, const Json&)>) override { refuse(); }

private:
    [[noreturn]] static void refuse() { throw Error(ErrorCode::Usage, "the database is read-only", "--shots", ""); }
};

}  // namespace heddle::studio
