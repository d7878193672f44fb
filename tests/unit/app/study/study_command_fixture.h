// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"
#include "engine/spec/catalogue.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

/// heddle study with a fake engine, whose loss depends on the learning rate, the variant and the seed.
class StudyCommandTest : public testing::Test, protected SessionFixture {
protected:
    StudyCommandTest() {
        write("a.txt", "a b\n");
        write("b.txt", "c d\n");
        engine_->evaluations =
            [this, plain = RunSpec::parse(spec("eau-base"), builtinCatalogue()).variant.hash()](const RunSpec& spec) {
                if (spec.train.lr > divergesAbove_)
                    throw Error(ErrorCode::Diverged, "the loss is not a finite number", "step 3", "lower train.lr");
                const double best = spec.variant.hash() == plain ? 0.001 : bestOfGated_;
                const double loss = 3 + std::pow(std::log10(spec.train.lr / best), 2) + 0.01 * std::sin(double(7 * spec.seed));
                return std::vector<EvaluationDone>{{spec.train.steps, "valid", {{"loss", loss, "", 100}}, 0}};
            };
    }
    void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
    Json spec(const char* preset, const std::string& name = "run") const {
        Json document = asRunDocument(presetDocument(preset));
        for (const auto* set :
             {"dims.d=16", "dims.f=32", "dims.heads=2", "dims.layers_enc=1", "dims.layers_dec=1", "dims.vocab_src=50",
              "dims.vocab_tgt=60", "train.device=cpu", "train.epochs=0", "train.steps=3"})
            applySet(document, set);
        document["data"]["train"] = {{"source", "a.txt"}, {"target", "b.txt"}};
        document["name"] = name;
        return document;
    }
    std::string study(const Json& changes = Json::object()) {
        Json document{
            {"schema", "heddle.study/1"},
            {"rows", {{{"name", "base"}, {"spec", spec("eau-base")}}, {{"name", "gated"}, {"spec", spec("eau-full")}}}},
            {"baseline", "base"},
            {"seeds", {1, 2, 3}}};
        document.merge_patch(changes);
        write("study.json", document.dump());
        return folder_ / "study.json";
    }
    CommandResult run(std::vector<std::string> arguments) {
        return runOn(file_, std::move(arguments), [this] { return engine_; });
    }
    Json must(std::vector<std::string> arguments) {
        arguments.emplace_back("--json");
        const CommandResult result = run(std::move(arguments));
        if (result.code != 0) throw std::runtime_error(result.err + result.out);
        return result.json();
    }

    double divergesAbove_ = 1e9, bestOfGated_ = 0.001;
};

}  // namespace heddle::app
