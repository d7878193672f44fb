// SPDX-License-Identifier: Apache-2.0
// A small causal language model, some steps old, that inspections open: nanoGPT's layers, pre-norm with a final norm.
#pragma once

#include "engine/run/inspection.h"
#include "tests/unit/engine/tasks/task_run.h"

#include <functional>
#include <memory>
#include <string>

namespace heddle::test {

class LanguageInspection : public TaskRun {
protected:
    LanguageInspection() {
        const VariantSpec variant = VariantSpec::parse(
            {{"preset", "nanogpt"},
             {"dims", {{"d", 16}, {"f", 32}, {"heads", 2}, {"layers_dec", 3}, {"max_len", 40}, {"vocab_tgt", "from_data"}}}},
            builtinCatalogue());
        std::string lines;
        for (int i = 0; i < 60; ++i) {
            const std::string animal = i % 3 == 0 ? "cat" : i % 3 == 1 ? "dog" : "bird";
            lines += "the " + animal + (i % 2 == 0 ? " sees the " : " hears a ") + animal + " and sleeps\n";
        }
        spec = specFor("causal_lm", "lines", variant, file("text", lines));
        spec.train.epochs = 0;
        spec.train.steps = 40;
    }

    std::unique_ptr<InspectionSession> open() {
        if (checkpoint.empty()) checkpoint = folder / "run/step-" + std::to_string(train(spec).step);
        InspectionRequest request;
        request.spec = spec;
        request.checkpointFolder = checkpoint;
        request.runFolder = folder / "run";
        request.cacheFolder = folder / "cache";
        request.device = "cpu";
        return engine->openInspection(request);
    }

    RunSpec spec;
    std::string checkpoint;
    std::unique_ptr<Engine> engine = createEngine();
};

}  // namespace heddle::test
