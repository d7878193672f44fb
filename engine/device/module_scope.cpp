// SPDX-License-Identifier: Apache-2.0
#include "engine/device/module_scope.h"

#include <utility>

namespace heddle {

namespace {
thread_local const std::string* current = nullptr;
}

ModuleScope::ModuleScope(const std::string& path) : before_(std::exchange(current, &path)) {}

ModuleScope::~ModuleScope() { current = before_; }

const std::string* currentModule() { return current; }

}  // namespace heddle
