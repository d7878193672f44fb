// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/taps.h"
#include "engine/model/forwarding_model.h"
#include "engine/run/patching.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// The tap of a part's output: [B,H,S,E] with a head, else [B,S,D].
std::string partTap(const PatchedPart& part, const ResolvedVariant& variant);

/// Records the values of some taps in a pass, in the order of the pass: a layer that is passed several times has several
/// values.
class TapRecord final : public Taps {
public:
    explicit TapRecord(const std::vector<std::string>& taps);
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override;
    bool wants(const std::string&, const char*) const override { return false; }
    const std::vector<at::Tensor>& of(const std::string& tap) const { return values_.at(tap); }

private:
    std::map<std::string, std::vector<at::Tensor>> values_;
};

/// Puts recorded values in the place of one part's output, each where it was recorded.
class TapReplay final : public Taps {
public:
    /// `values` must outlive this.
    TapReplay(std::string tap, std::int64_t head, const std::vector<at::Tensor>& values)
        : tap_(std::move(tap)), head_(head), values_(values) {}
    /// Throws Error(Usage) where the record has no value of this shape.
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override;
    bool wants(const std::string&, const char*) const override { return false; }
    bool replaces(const std::string& module, const char* exposure) const override;

private:
    std::string tap_;
    std::int64_t head_;
    const std::vector<at::Tensor>& values_;
    std::size_t passed_ = 0;
};

/// A model in whose passes the output of one part is that of another model on the same input. It shares the weights of both,
/// which must outlive it and have equal shapes. It decodes no texts.
class PatchedModel final : public ForwardingModel {
public:
    PatchedModel(Model& model, const Model& donor, PatchedPart part);

    at::Tensor encode(const ModelInput& source, const Forward& f) const override;
    at::Tensor decode(const ModelInput& target, const Memory& memory, const Forward& f) const override;
    std::unique_ptr<DecodingState> startDecoding(const Memory& memory, DecodingMemory kept) const override;
    using Model::startDecoding;
    std::unique_ptr<ReplayableState> makeReplayableState(std::int64_t capacity) const override;
    std::string stepCaptureObstacle() const override { return obstacle(); }
    std::string captureObstacle() const override { return obstacle(); }

private:
    static std::string obstacle() { return "another model's outputs are put into its passes"; }
    bool isIn(const char* stack) const { return part_.path.starts_with(stack); }

    const Model& donor_;
    PatchedPart part_;
    std::string tap_;
};

}  // namespace heddle
