// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/module_scope.h"

#include <memory>
#include <string>
#include <utility>

namespace heddle {

/// A pointer to a block of the model with its module path; may be null. Every call through `->` runs in the module's scope
/// (ModuleScope), so that a measurement can name the module. The scope lasts until the end of the expression; if one expression
/// calls two parts, the scope of the later call holds.
template <class Slot>
class ModulePart {
public:
    /// Opens the scope until the end of the call.
    class Call {
    public:
        Call(const Slot* block, const std::string& path) : scope_(path), block_(block) {}
        const Slot* operator->() const { return block_; }

    private:
        ModuleScope scope_;
        const Slot* block_;
    };

    ModulePart() = default;
    ModulePart(std::shared_ptr<const Slot> block, std::string path) : block_(std::move(block)), path_(std::move(path)) {}

    Call operator->() const { return {block_.get(), path_}; }
    const std::string& path() const { return path_; }
    const Slot* get() const { return block_.get(); }
    const Slot& operator*() const { return *block_; }
    explicit operator bool() const { return block_ != nullptr; }

private:
    std::shared_ptr<const Slot> block_;
    std::string path_;
};

}  // namespace heddle
