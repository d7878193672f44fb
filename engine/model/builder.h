// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/stack.h"
#include "engine/spec/variant_spec.h"

#include <memory>
#include <string>

namespace heddle {

/// Builds the modules of a resolved variant and declares their parameters in `store` under the module paths. The only code that
/// turns choices into modules; used by buildModel() for models and by golden checks for stacks.
class Builder {
public:
    Builder(const ResolvedVariant& variant, ParameterStore& store, at::ScalarType type)
        : variant_(variant), store_(store), type_(type) {}

    ModulePart<Embedding> embedding() const;
    ModulePart<Position> position() const;
    ModulePart<Head> head(const Embedding& embedding) const;
    /// "encoder" or "decoder"; empty if the topology has none. `position` is added before every layer if it requires that; it
    /// must outlive the stack.
    Stack stack(const std::string& name, const Position& position) const;

private:
    template <class Slot>
    ModulePart<Slot> block(const std::string& slot, const BlockChoice& choice, BuildContext context) const;
    BuildContext contextOf(const std::string& path, const std::string& stack = "") const;
    Sublayer sublayer(const ResolvedSublayer& choice, const BlockContext& where) const;
    std::unique_ptr<Mixer> mixer(const ResolvedSublayer& choice, const BlockContext& where, ModulePart<Dropout> dropout) const;
    /// Returns the context of the block in that slot of a sublayer.
    BuildContext contextIn(const ResolvedSublayer& choice, const std::string& slot, const BlockContext& where) const;
    template <class Slot>
    ModulePart<Slot> part(const ResolvedSublayer& choice, const std::string& slot, const BlockContext& where) const;

    const ResolvedVariant& variant_;
    ParameterStore& store_;
    at::ScalarType type_;
};

/// The init block that a ParameterStore is made with.
std::shared_ptr<const Init> makeInit(const BlockChoice& choice);

}  // namespace heddle
