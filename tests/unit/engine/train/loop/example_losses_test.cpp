// SPDX-License-Identifier: Apache-2.0
// Sums over examples are those of the split, whatever the task and its loss.
#include "engine/data/batching/encoded_corpus.h"
#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/task_kinds.h"
#include "engine/train/loop/evaluation.h"
#include "tests/unit/engine/tasks/task_run.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using test::encoder;

class ExampleLosses : public test::TaskRun {
protected:
    void expectSums(const RunSpec& spec) const {
        const std::string what = spec.data.task + " " + wordOf(spec.train.loss);
        const RunData data = loadRunData(spec, {}, {});
        const std::int64_t outputs = outputsFor(spec, std::ssize(data.classes));
        const auto model = buildModel(spec.variant.resolve(data.sourceWords(), data.targetWords(), outputs), 3);
        const auto task = makeTask(spec, data);
        Evaluator evaluator(*model, *task, DecodeOptions{at::kCPU});
        const Evaluation plain = *evaluator.evaluate(data.valid, Depth::Scored);
        EXPECT_TRUE(plain.examples.empty());
        evaluator.keepExamples();
        const Evaluation kept = *evaluator.evaluate(data.valid, Depth::Scored);
        EXPECT_EQ(kept.loss, plain.loss) << what;
        EXPECT_EQ(std::ssize(kept.examples), exampleCount(data.valid)) << what;
        double nats = 0;
        std::int64_t answers = 0, correct = 0;
        for (const SentenceLoss& one : kept.examples) {
            EXPECT_GT(one.tokens, 0) << what;
            nats += one.nats, answers += one.tokens, correct += one.correct;
        }
        EXPECT_EQ(answers, kept.labels) << what;
        EXPECT_NEAR(nats / static_cast<double>(answers), kept.loss, 2e-6 * std::max(1.0, kept.loss)) << what;
        EXPECT_NEAR(static_cast<double>(correct) / static_cast<double>(answers), kept.accuracy, 1e-6) << what;
        if (spec.data.task == "mlm" || spec.data.task == "denoise") return;  // what is masked depends on an example's number
        const Evaluation third = *evaluator.evaluate(examplesOf(data.valid, 2, 1), Depth::Scored);
        EXPECT_NEAR(third.loss * static_cast<double>(third.labels), kept.examples[2].nats, 1e-4) << what;
    }
    RunSpec reading(const std::string& task, const std::string& format, const VariantSpec& variant,
                    const std::string& text) const {
        RunSpec spec = specFor(task, format, variant);
        spec.data.train.source = spec.data.valid.source = file(task + ".data", text);
        return spec;
    }
};

TEST_F(ExampleLosses, AddUpToTheLossOfTheSplit) {
    expectSums(specFor("tag", "generated/position", encoder("tag", 8)));
    for (const LossKind loss : {LossKind::CrossEntropy, LossKind::Hinge, LossKind::HingeMax}) {
        RunSpec spec = specFor("classify", "generated/agreement", encoder("classify"));
        spec.train.loss = loss;
        expectSums(spec);
    }
    expectSums(test::toySpec(folder.path(), test::toyPairs(12), test::toyPairs(12)));
    const std::string lines = "a b a b a b a b\nc d c d\nb a b a c d\nd c d c d\n";
    expectSums(reading("mlm", "lines", encoder("mlm"), lines));
    expectSums(reading("denoise", "lines", encoder("mlm"), lines));
    expectSums(reading("causal_lm", "lines",
                       VariantSpec::parse({{"preset", "atinuke-text"},
                                           {"dims", {{"d", 32}, {"f", 64}, {"heads", 2}, {"layers_dec", 1}, {"max_len", 24}}}},
                                          builtinCatalogue()),
                       lines));
}

TEST_F(ExampleLosses, OfNumbersAndOfWindowsToo) {
    std::string table = "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n";
    for (int i = 0; i < 12; ++i)
        table += std::to_string(i) + "\tg\tf\t2012\t0\ta\tb\tw" + std::to_string(i % 6) + " x\tv y\t" + std::to_string(i % 6) +
                 ".0\n";
    expectSums(reading("regress", "glue/sts-b", encoder("regress"), table));

    Json paragraphs = Json::array();
    for (int i = 0; i < 6; ++i) {
        const std::string before = i % 2 == 0
                                       ? ""
                                       : "It is said of old that now and then, here and there, up and down, again and again "
                                         "and for ever after it was so that ";
        const Json answer{{"text", "room"}, {"answer_start", before.size() + 16}};
        paragraphs.push_back(
            {{"context", before + "The key lies in room today."},
             {"qas",
              Json::array({{{"id", std::to_string(i)}, {"question", "Where is it?"}, {"answers", Json::array({answer})}}})}});
    }
    const Json document{{"version", "1.1"}, {"data", Json::array({{{"title", "Keys"}, {"paragraphs", paragraphs}}})}};
    RunSpec spec = reading("span", "squad", encoder("span"), document.dump());
    spec.data.stride = 8;
    const RunData data = loadRunData(spec, {}, {});
    ASSERT_GT(data.valid.size(), exampleCount(data.valid)) << "some contexts have several windows";
    expectSums(spec);
}

}  // namespace
}  // namespace heddle
