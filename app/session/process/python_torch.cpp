// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/python_torch.h"

#include "app/session/process/child_process.h"
#include "engine/base/error.h"

namespace heddle::app {
namespace {

constexpr std::chrono::milliseconds kTimeout{3000};
/// -I: Python itself looks neither into the current folder nor where PYTHONPATH says, so that it runs nothing of theirs. The
/// package is looked for where the user's Python finds it, except in places that depend on the current folder.
constexpr const char* kQuestion = R"(
import importlib.machinery, os, site, sys
path = os.environ.get('PYTHONPATH', '').split(os.pathsep) + sys.path + [site.getusersitepackages()]
spec = importlib.machinery.PathFinder.find_spec('torch', [p for p in path if os.path.isabs(p)])
print(spec.submodule_search_locations[0] if spec and spec.submodule_search_locations else '')
)";

}  // namespace

PythonTorch pythonTorch() {
    ChildOptions options;
    options.timeout = kTimeout;
    ChildResult answer;
    try {
        answer = runChild({"python3", "-I", "-c", kQuestion}, options);
    } catch (const Error&) {
        return {"", "there is no python3 on PATH"};
    }
    if (answer.code != 0) return {"", "python3 gave no answer"};
    while (!answer.out.empty() && (answer.out.back() == '\n' || answer.out.back() == '\r')) answer.out.pop_back();
    if (answer.out.empty()) return {"", "it has no package torch"};
    return {answer.out, ""};
}

}  // namespace heddle::app
