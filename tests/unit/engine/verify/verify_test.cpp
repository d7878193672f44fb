// SPDX-License-Identifier: Apache-2.0
// The specification's golden cases through the modules that training uses, and proof that the checks can fail.
#include "engine/verify/verify.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/verify/checks.h"
#include "tests/dev/engine/properties.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

namespace heddle {
namespace {

using Status = VerifyCheck::Status;

const Json& golden() {
    static const Json kGolden = readJsonFile(HEDDLE_SOURCE_DIR "/resources/golden.json");
    return kGolden;
}

std::size_t count(const std::vector<VerifyCheck>& checks, Status status) {
    return static_cast<std::size_t>(
        std::count_if(checks.begin(), checks.end(), [&](const auto& c) { return c.status == status; }));
}

/// Runs all checks of `heddle-dev verify`. A misprint in a paper is reported and is not a failure.
TEST(Verify, PassesWhole) {
    const auto checks = runChecks({golden(), true, "", ""}, verify::properties());
    for (const VerifyCheck& check : checks) EXPECT_NE(check.status, Status::Fail) << check.name << ": " << check.detail;
    EXPECT_GT(checks.size(), 1000U);
}

class KnownCase : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Golden, KnownCase,
                         ::testing::Values("eau", "grc", "mha", "encoder_layer_eau_grc", "decoder_layer_eau_grc",
                                           "gated_score_residual", "score_rules", "positional_encodings", "bleu",
                                           "atinuke_repaired", "losses", "bleu_charpos"));

TEST_P(KnownCase, PassesInFull) {
    const auto checks = runChecks({golden(), false, GetParam(), ""});
    for (const VerifyCheck& check : checks) EXPECT_EQ(check.status, Status::Pass) << check.name << ": " << check.detail;
    EXPECT_GE(checks.size(), golden().at(GetParam()).at("outputs").size());
}

/// Every number of every output matters: moved by a little more than the tolerance, its check fails.
TEST_P(KnownCase, FailsWhenAnExpectedValueIsMoved) {
    const Json& outputs = golden().at(GetParam()).at("outputs");
    for (const auto& [name, value] : outputs.items()) {
        Json file{{GetParam(), golden().at(GetParam())}};
        Json* number = &file.at(GetParam()).at("outputs").at(name);
        while (number->is_array()) number = &number->back();
        *number = number->is_number_integer() ? Json(number->get<std::int64_t>() + 1) : Json(number->get<double>() + 2e-5);
        EXPECT_GE(count(runChecks({file, false, GetParam(), ""}), Status::Fail), 1u) << name;
    }
}

/// Shapes are the file's: more keys than queries, gates of one stack alone, widths that the usual heads do not divide.
TEST(Verify, TakesOtherSizesThanTheShippedFile) {
    Json scores = Json::array(), sums = Json::array();
    for (int layer = 0; layer < 3; ++layer) {
        Json rows = Json::array(), sum = Json::array();
        for (int q = 0; q < 2; ++q) {
            rows.push_back({layer + q, 10 * layer, q - layer});
            sum.push_back(layer == 0 ? rows.back() : Json{2 * layer - 1 + 2 * q, 20 * layer - 10, 2 * q - 2 * layer + 1});
        }
        scores.push_back(Json::array({Json::array({rows})}));
        sums.push_back(Json::array({Json::array({sum})}));
    }
    const Json file{{"score_rules", {{"inputs", {{"scores", scores}}}, {"outputs", {{"raw_m1", sums}}}}},
                    {"counts",
                     {{"entries",
                       {{{"model", "thesis gate W"},
                         {"settings", {{"seq", 5}, {"heads", 3}, {"layers", 2}, {"stacks", 1}}},
                         {"expected", 150}},
                        {{"model", "thesis gate bias [H,S]"},
                         {"settings", {{"seq", 5}, {"heads", 3}, {"layers", 2}, {"stacks", 2}}},
                         {"expected", 60}},
                        {{"model", "starsaber-paper pretrained Transformer"},
                         {"settings", {{"layers", 1}, {"d", 100}, {"vocab", 10}, {"classes", 1}}},
                         {"expected", 11 * 100 * 100 + 12 * 100 + 10 * 100 + 101}}}}}}};
    const auto checks = runChecks({file, false, "", ""});
    EXPECT_EQ(checks.size(), 2U + 6U);
    for (const VerifyCheck& check : checks) EXPECT_EQ(check.status, Status::Pass) << check.name << ": " << check.detail;
}

/// Every weight is really used: moved, some output differs.
TEST_P(KnownCase, FailsWhenAWeightIsMoved) {
    const Json& original = golden().at(GetParam());
    if (!original.contains("weights")) return;
    const Json weights = original.at("weights").flatten();
    for (const auto& weight : weights.items()) {
        const std::string& pointer = weight.key();
        const bool firstOfRow = pointer.ends_with("/0");
        // The softmax does not see what all keys share; only the case that shows raw scores does.
        const bool invisible = pointer.find("/bk/") != std::string::npos && std::string(GetParam()) != "mha";
        // In the decoder's case the second EAU's ReLU is closed at every position, so that nothing reads its W2; Atinuke's
        // tokens are 3, 1 and 6.
        const bool isOtherWord =
            pointer.starts_with("/embedding/") && std::string("316").find(pointer[11]) == std::string::npos;
        const bool unread = pointer.starts_with("/eau2/W2/") || isOtherWord;
        if (!firstOfRow || invisible || unread) continue;
        const auto isNoticed = [&](double change) {
            Json file{{GetParam(), original}};
            file.at(GetParam()).at("weights").at(Json::json_pointer(pointer)) = weight.value().get<double>() + change;
            return count(runChecks({file, false, GetParam(), ""}), Status::Fail) > 0;
        };
        // A closed ReLU does not see a small change; one of the large ones opens it.
        EXPECT_TRUE(isNoticed(0.01) || isNoticed(5) || isNoticed(-5)) << pointer;
    }
}

TEST(Golden, CountsAreEqualToTheLastDigit) {
    const auto checks = runChecks({golden(), false, "counts", ""});
    EXPECT_EQ(count(checks, Status::Fail), 0u);
    // Every model by formula, most of them built too, and the figures that the papers print.
    EXPECT_GT(count(checks, Status::Pass), 2 * golden().at("counts").at("entries").size());
    Json file{{"counts", {{"entries", {golden().at("counts").at("entries").at(0)}}}}};
    file["counts"]["entries"][0]["expected"] = 11066798;
    EXPECT_GE(count(runChecks({file, false, "counts", ""}), Status::Fail), 2u);
}

TEST(Golden, UnitCounts) {
    const auto checks = runChecks({golden(), false, "unit_counts", ""});
    EXPECT_EQ(count(checks, Status::Pass), golden().at("unit_counts").at("outputs").size());
    EXPECT_EQ(count(checks, Status::Fail), 0u);
}

TEST(Golden, NamesWhatItDoesNotKnow) {
    const auto checks = runChecks({{{"another_case", golden().at("grc")}}, false, "", ""});
    ASSERT_EQ(checks.size(), 1u);
    EXPECT_EQ(checks[0].status, Status::Reported);
    EXPECT_EQ(checks[0].detail, "unknown to this version");
    Json file{{"grc", golden().at("grc")}};
    file["grc"]["outputs"]["y_other"] = file["grc"]["outputs"]["y"];
    EXPECT_EQ(count(runChecks({file, false, "", ""}), Status::Reported), 1u);
}

TEST(Verify, PropertiesBelongToTheShippedFile) {
    const Json grc{{"grc", golden().at("grc")}};
    const std::vector<verify::Property> one{{"zero", [](verify::CaseChecks& checks) { checks.bound("nothing", 0, 0); }}};
    const std::size_t cases = runChecks({grc, true, "", ""}).size();
    EXPECT_EQ(runChecks({grc, true, "", ""}, one).size(), cases + 1);
    EXPECT_EQ(runChecks({grc, false, "", ""}, one).size(), cases);
    EXPECT_THROW(runChecks({grc, true, "zero", ""}), Error) << "the shipped program has no properties";
}

TEST(Golden, PicksOneCheck) {
    const auto checks = runChecks({golden(), false, "encoder_layer_eau_grc/pre (float64)", ""});
    ASSERT_EQ(checks.size(), 1u);
    EXPECT_EQ(checks[0].status, Status::Pass);
    EXPECT_LT(checks[0].maxError, 1e-10);
    EXPECT_THROW(runChecks({golden(), false, "ea", ""}), Error);
}

TEST(Golden, RefusesAFileOfAnotherFormat) {
    Json file{{"eau", {{"inputs", Json::object()}}}};
    EXPECT_THROW(runChecks({file, false, "", ""}), Error);
    file = {{"grc", golden().at("grc")}};
    file["grc"]["weights"]["Wg"][0].push_back(1.0);
    EXPECT_THROW(runChecks({file, false, "", ""}), Error);
    EXPECT_THROW(runChecks({Json::array(), false, "", ""}), Error);
}

/// Other sizes than the file's, with values made by the formulas themselves in plain loops of tensors.
TEST(Golden, TakesShapesFromTheArrays) {
    const auto list = [](const at::Tensor& t) {
        std::function<Json(const at::Tensor&)> toJson = [&](const at::Tensor& x) -> Json {
            if (x.dim() == 0) return x.item<double>();
            Json rows = Json::array();
            for (std::int64_t i = 0; i < x.size(0); ++i) rows.push_back(toJson(x[i]));
            return rows;
        };
        return toJson(t.to(at::kDouble));
    };
    const at::Tensor r = at::linspace(-1, 1, 42, at::kDouble).reshape({1, 6, 7}), s = at::sin(3 * r),
                     w = at::cos(at::arange(49, at::kDouble)).reshape({7, 7});
    const at::Tensor b = at::linspace(0, 1, 7, at::kDouble), g = at::sigmoid(at::matmul(r, w.t()) + b);
    const Json file{{"grc",
                     {{"inputs", {{"r", list(r)}, {"s", list(s)}}},
                      {"weights", {{"Wg", list(w)}, {"bg", list(b)}}},
                      {"outputs", {{"g", list(g)}, {"y", list(r + g * s)}}},
                      {"param_count", 56}}}};
    const auto checks = runChecks({file, false, "", ""});
    EXPECT_EQ(count(checks, Status::Pass), 6u);
    EXPECT_EQ(count(checks, Status::Fail), 0u);
}

TEST(Golden, CopyIsTheSpecificationsFile) {
    const char* const given = std::getenv("HEDDLE_GOLDEN");
    const std::filesystem::path path = given ? given : HEDDLE_SOURCE_DIR "/../shared/spec/golden.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no golden.json beside the repository (set HEDDLE_GOLDEN)";
    EXPECT_EQ(readJsonFile(path), golden());
}

}  // namespace
}  // namespace heddle
