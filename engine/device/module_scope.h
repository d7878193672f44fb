// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// Sets the module of the model that this thread runs, for the lifetime of the object; measurements attribute what they count
/// to it. Scopes nest. `path` ("encoder.layers.0.self.residual") must outlive the scope.
class ModuleScope {
public:
    explicit ModuleScope(const std::string& path);
    ~ModuleScope();
    ModuleScope(const ModuleScope&) = delete;
    ModuleScope& operator=(const ModuleScope&) = delete;

private:
    const std::string* before_;
};

/// The path of the innermost open scope of this thread; null outside of any.
const std::string* currentModule();

}  // namespace heddle
