// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/blocks/parameters.h"
#include "engine/run/engine.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle::verify {

/// Parameters in the tree that is built, and by the descriptors' formulas.
struct Counts {
    std::int64_t built = 0, formula = 0;
};

/// Collects the checks of one case of a golden file.
class CaseChecks {
public:
    CaseChecks(std::string name, std::vector<VerifyCheck>& checks, const at::Device& device = at::kCPU)
        : case_(std::move(name)), checks_(checks), device_(device) {}

    /// The types that a case computes in: float64 and float32, on the device of these checks.
    std::array<at::TensorOptions, 2> types() const {
        return {at::TensorOptions(at::kDouble).device(device_), at::TensorOptions(at::kFloat).device(device_)};
    }

    /// Compares a computed tensor with the file's array; a wrong shape or a NaN fails.
    void compare(const std::string& output, const Json& expected, const at::Tensor& computed);
    /// Compares each of `computed` that the file's outputs have.
    void compareAll(const Json& outputs, const std::vector<std::pair<std::string, at::Tensor>>& computed);
    void compareCount(const std::string& what, std::int64_t expected, std::int64_t computed);
    void compareCounts(const std::string& what, std::int64_t expected, const Counts& computed);
    void compareNumber(const std::string& what, double expected, double computed);
    void report(const std::string& what, const std::string& detail);
    void reportUnknown(const std::string& what) { report(what, "unknown to this version"); }

    /// Passes where `value` is at most `limit` (NaN fails): an error, a bound.
    void bound(const std::string& what, double value, double limit);
    /// Passes where `value` is above `limit`: a required difference.
    void exceeds(const std::string& what, double value, double limit);

    /// Marks output `what` as compared under other names.
    void settle(const std::string& what) { compared_.insert(what); }
    /// Reports every output of `outputs` for which there was no comparison.
    void reportRest(const Json& outputs);

private:
    void judge(const std::string& what, bool passes, double error, const std::string& detail);

    std::string case_;
    std::vector<VerifyCheck>& checks_;
    at::Device device_;
    std::set<std::string> compared_;
};

/// A nested JSON list as a tensor with these options; throws Error(InvalidInput) if it is ragged or holds anything but numbers.
at::Tensor tensorFromJson(const Json& array, const at::TensorOptions& options);

/// The same as a leaf that requires grad.
at::Tensor leafFromJson(const Json& array, const at::TensorOptions& options);

/// Backward pass of the specification's loss ½Σy².
void backwardOfHalfSquares(const at::Tensor& y);

/// A store whose parameters the caller loads or fills.
ParameterStore emptyStore(const at::TensorOptions& options);

/// Writes an array into a declared parameter; sizes must be equal.
void load(const ParameterStore& store, const std::string& path, const Json& array);
/// One linear map: "<path>.weight" from weights["W"+name] and, where the file has it, "<path>.bias" from weights["b"+name].
void loadLinear(const ParameterStore& store, const std::string& path, const Json& weights, const std::string& name);

/// All parameters of a block, `given` over the defaults of its descriptor.
Json blockParameters(const std::string& slot, const std::string& id, const Json& given = Json::object());

/// Rows and columns of a nested list.
std::int64_t rowsOf(const Json& matrix);
std::int64_t columnsOf(const Json& matrix);

/// Checks for every preset that training's fast passes in float32 agree with their plain definitions in float64.
void checkTrainingPath(CaseChecks& checks);
/// The same on a device, also in bfloat16 as a GPU trains, and in float64 by the plain definitions: library and kernels there
/// are what the CPU computes.
void checkTrainingPathOn(const at::Device& device, CaseChecks& checks);

// The cases; each reads its part of the file.
void verifyEau(const Json& golden, CaseChecks& checks);
void verifyGrc(const Json& golden, CaseChecks& checks);
void verifyAttention(const Json& golden, CaseChecks& checks);
void verifyPositions(const Json& golden, CaseChecks& checks);
void verifyBleu(const Json& golden, CaseChecks& checks);
void verifyEncoderLayer(const Json& golden, CaseChecks& checks);
void verifyDecoderLayer(const Json& golden, CaseChecks& checks);
void verifyGatedScores(const Json& golden, CaseChecks& checks);
void verifyScoreRules(const Json& golden, CaseChecks& checks);
void verifyStarLayer(const Json& golden, CaseChecks& checks);
void verifyStarStack(const Json& golden, CaseChecks& checks);
void verifyStarFixedPoint(const Json& golden, CaseChecks& checks);
void verifyReZeroLayer(const Json& golden, CaseChecks& checks);
void verifyUnitCounts(const Json& golden, CaseChecks& checks);
void verifyCounts(const Json& golden, CaseChecks& checks);
void verifyAtinuke(const Json& golden, CaseChecks& checks);
void verifyLosses(const Json& golden, CaseChecks& checks);
void verifySchedules(const Json& golden, CaseChecks& checks);
void verifyCharpos(const Json& golden, CaseChecks& checks);
void verifySea(const Json& golden, CaseChecks& checks);

}  // namespace heddle::verify
