// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/python_torch.h"

#include "app/session/process/child_process.h"
#include "engine/base/error.h"

namespace heddle::app {
namespace {

constexpr std::chrono::milliseconds kTimeout{3000};
constexpr const char* kQuestion =
    "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')";

}  // namespace

PythonTorch pythonTorch() {
    ChildOptions options;
    options.timeout = kTimeout;
    ChildResult answer;
    try {
        answer = runChild({"python3", "-c", kQuestion}, options);
    } catch (const Error&) {
        return {"", "there is no python3 on PATH"};
    }
    if (answer.code != 0) return {"", "python3 gave no answer"};
    while (!answer.out.empty() && (answer.out.back() == '\n' || answer.out.back() == '\r')) answer.out.pop_back();
    if (answer.out.empty()) return {"", "it has no package torch"};
    return {answer.out, ""};
}

}  // namespace heddle::app
