// SPDX-License-Identifier: Apache-2.0
// Starting from a published BERT (variants.md E12): the file's tensors land where the preset computes with them what BERT's own
// formulas give, written out here on the file's names.
#include "engine/train/checkpoint/released_bert.h"
#include "engine/base/error.h"
#include "engine/data/tokenizers/wordpiece_tokenizer.h"
#include "engine/run/event_words.h"
#include "engine/train/checkpoint/safetensors.h"
#include "engine/train/loop/start.h"
#include "tests/unit/engine/tiny_model.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using test::writeFile;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing_support::distance;
using testing_support::ids;

constexpr std::int64_t kWidth = 16, kHidden = 24, kHeads = 2, kLayers = 2, kPositions = 12, kWords = 120;

/// A vocabulary whose special tokens lie where BERT's do: [PAD] 0, [UNK] 100, [CLS] 101, [SEP] 102, [MASK] 103.
std::shared_ptr<const Tokenizer> vocabulary() {
    std::vector<std::string> lines;
    for (std::int64_t line = 0; line < kWords; ++line) lines.push_back(std::string("w").append(std::to_string(line)));
    lines[0] = "[PAD]", lines[100] = "[UNK]", lines[101] = "[CLS]", lines[102] = "[SEP]", lines[103] = "[MASK]";
    return wordPieceFromVocab(lines, {}, "vocab.txt");
}

/// For each of our ids the file's.
std::vector<std::int64_t> rowsOf(const Tokenizer& tokenizer) {
    std::vector<std::int64_t> rows;
    for (std::int64_t id = 0; id < tokenizer.size(); ++id) rows.push_back(tokenizer.publisherId(static_cast<std::int32_t>(id)));
    return rows;
}

/// A BERT of random weights as transformers names them. `older`: with gamma and beta, as the first releases have.
struct ReleasedBert {
    explicit ReleasedBert(bool older, const std::string& prefix = "bert.") : isOlder(older), encoder(prefix) {
        at::manual_seed(7);
        matrix(encoder + "embeddings.word_embeddings", kWords, kWidth);
        matrix(encoder + "embeddings.position_embeddings", kPositions, kWidth);
        matrix(encoder + "embeddings.token_type_embeddings", 2, kWidth);
        norm(encoder + "embeddings.LayerNorm");
        tensors[encoder + "embeddings.position_ids"] = at::arange(kPositions, at::kLong).unsqueeze(0);
        for (std::int64_t n = 0; n < kLayers; ++n) {
            const std::string layer = encoder + "encoder.layer." + std::to_string(n) + ".";
            for (const char* name :
                 {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"})
                linear(layer + name, kWidth, kWidth);
            linear(layer + "intermediate.dense", kHidden, kWidth);
            linear(layer + "output.dense", kWidth, kHidden);
            norm(layer + "attention.output.LayerNorm");
            norm(layer + "output.LayerNorm");
        }
        linear(encoder + "pooler.dense", kWidth, kWidth);
        linear("cls.seq_relationship", 2, kWidth);
        linear("cls.predictions.transform.dense", kWidth, kWidth);
        norm("cls.predictions.transform.LayerNorm");
        tensors["cls.predictions.bias"] = at::randn({kWords});
    }

    void matrix(const std::string& name, std::int64_t rows, std::int64_t columns) {
        tensors[name + ".weight"] = at::randn({rows, columns}) / 4;
    }
    void linear(const std::string& name, std::int64_t rows, std::int64_t columns) {
        matrix(name, rows, columns);
        tensors[name + ".bias"] = at::randn({rows}) / 4;
    }
    void norm(const std::string& name) {
        tensors[name + (isOlder ? ".gamma" : ".weight")] = 1 + at::randn({kWidth}) / 4;
        tensors[name + (isOlder ? ".beta" : ".bias")] = at::randn({kWidth}) / 4;
    }
    void save(const std::string& file) const {
        const SafetensorsImage image(tensors);
        std::string bytes;
        for (const auto part : image.parts()) bytes += part;
        writeFile(file, bytes);
    }

    at::Tensor at(const std::string& name) const { return tensors.at(name).to(at::kDouble); }
    at::Tensor through(const std::string& name, const at::Tensor& x) const {
        return at::linear(x, at(name + ".weight"), at(name + ".bias"));
    }
    at::Tensor normed(const std::string& name, const at::Tensor& x) const {
        return at::layer_norm(x, {kWidth}, at(name + (isOlder ? ".gamma" : ".weight")),
                              at(name + (isOlder ? ".beta" : ".bias")), 1e-12);
    }
    at::Tensor attention(const std::string& layer, const at::Tensor& x_BSD) const {
        const auto heads = [&](const char* name) {
            return through(layer + "attention.self." + name, x_BSD).unflatten(-1, {kHeads, kWidth / kHeads}).transpose(1, 2);
        };
        const at::Tensor scores = heads("query").matmul(heads("key").transpose(-1, -2)) / std::sqrt(kWidth / kHeads);
        return through(layer + "attention.output.dense",
                       at::softmax(scores, -1).matmul(heads("value")).transpose(1, 2).flatten(2));
    }
    at::Tensor logits(const at::Tensor& ids_BS) const {
        const at::Tensor words = at(encoder + "embeddings.word_embeddings.weight");
        at::Tensor x = at::embedding(words, ids_BS) +
                       at(encoder + "embeddings.position_embeddings.weight").narrow(0, 0, ids_BS.size(1)) +
                       at(encoder + "embeddings.token_type_embeddings.weight").select(0, 0);
        x = normed(encoder + "embeddings.LayerNorm", x);
        for (std::int64_t n = 0; n < kLayers; ++n) {
            const std::string layer = encoder + "encoder.layer." + std::to_string(n) + ".";
            x = normed(layer + "attention.output.LayerNorm", x + attention(layer, x));
            x = normed(layer + "output.LayerNorm",
                       x + through(layer + "output.dense", at::gelu(through(layer + "intermediate.dense", x))));
        }
        x = normed("cls.predictions.transform.LayerNorm", at::gelu(through("cls.predictions.transform.dense", x)));
        return at::linear(x, words, at("cls.predictions.bias"));
    }

    bool isOlder;
    std::string encoder;
    NamedTensors tensors;
};

std::unique_ptr<Model> preset(std::int64_t positions, const char* name = "bert-base", const Json& head = {}) {
    Json document{{"preset", name},
                  {"dims",
                   {{"d", kWidth},
                    {"f", kHidden},
                    {"heads", kHeads},
                    {"layers_enc", kLayers},
                    {"max_len", positions},
                    {"vocab_src", kWords}}}};
    if (!head.is_null()) document["head"] = head;
    return buildModel(VariantSpec::parse(document, builtinCatalogue()).resolve(), 1, at::kDouble);
}

class Released : public ::testing::Test {
protected:
    StartedFrom start(Model& model) {
        StartSpec from;
        from.checkpoint = file_;
        return startFrom(model, from, rows_);
    }
    static at::Tensor logits(const Model& model, const at::Tensor& words) {
        const Forward f;
        return model.logits(model.pool(model.encode({words, {}}, f), words, f));
    }
    /// The file's ids for ours.
    at::Tensor published(const at::Tensor& ours) const {
        return at::tensor(rows_, at::kLong).index_select(0, ours.flatten()).view(ours.sizes());
    }
    const std::vector<std::int64_t> rows_ = rowsOf(*vocabulary());
    const TemporaryFolder folder_;
    const std::string file_ = folder_ / "model.safetensors";
};

TEST_F(Released, ThePresetComputesWhatBertsFormulasGive) {
    const at::Tensor words = ids({kSos, 5, 9, kMask, 117, kUnk, 6, 11, kEos});  // [CLS] … [SEP]
    for (const bool older : {false, true}) {
        const ReleasedBert bert(older);
        bert.save(file_);
        const auto model = preset(kPositions);
        EXPECT_THAT(start(*model).drawn, testing::IsEmpty());
        const at::Tensor ours = logits(*model, words), theirs = bert.logits(published(words));
        EXPECT_LT(distance(ours, theirs.index_select(-1, at::tensor(rows_, at::kLong))), 1e-10)
            << "a score a word, in our order";
    }
}

TEST_F(Released, FewerPositionsTakeTheFirstOnes) {
    const ReleasedBert bert(false);
    bert.save(file_);
    const auto model = preset(6);
    EXPECT_TRUE(start(*model).drawn.empty());
    const at::Tensor words = ids({5, 9, 17, 6, 6, 11});
    EXPECT_LT(distance(logits(*model, words), bert.logits(published(words)).index_select(-1, at::tensor(rows_, at::kLong))),
              1e-10);
}

TEST_F(Released, AnEncoderAloneLeavesTheHeadDrawnAndNewBlocksToo) {
    ReleasedBert bert(false, "");
    std::erase_if(bert.tensors, [](const auto& entry) { return entry.first.starts_with("cls."); });
    bert.save(file_);
    const auto model = preset(kPositions, "bert-base+both");
    const StartedFrom started = start(*model);
    EXPECT_THAT(started.drawn, Contains("head.dense.weight"));
    EXPECT_THAT(started.drawn, Contains(HasSubstr("adjuster")));
    EXPECT_THAT(started.taken, Contains("encoder.layers.1.ffn.ffn.out.weight"));
}

TEST_F(Released, AMissingWeightIsNamedAndOneOfAnotherShapeRefused) {
    const std::string value = "bert.encoder.layer.0.attention.self.value.weight",
                      inner = "bert.encoder.layer.1.intermediate.dense.weight";
    {
        const ReleasedBert whole(false);
        whole.save(file_);
        EXPECT_THAT(start(*preset(kPositions)).warnings, testing::IsEmpty());
    }
    ReleasedBert without(false);
    ASSERT_EQ(without.tensors.erase(value), 1U);
    without.save(file_);
    const StartedFrom started = start(*preset(kPositions));
    ASSERT_EQ(started.warnings.size(), 1U);
    EXPECT_THAT(started.warnings[0], AllOf(HasSubstr("random"), HasSubstr("encoder.layers.0.self.value.v.weight")));
    EXPECT_THAT(wordsOf(started).text, HasSubstr("drawn at random: encoder.layers.0.self.value.v.weight"));

    ReleasedBert turned(false);
    turned.tensors[inner] = turned.at(inner).t().contiguous();
    turned.save(file_);
    const auto model = preset(kPositions);
    EXPECT_THAT([&] { start(*model); },
                ThrowsMessage<Error>(AllOf(HasSubstr("encoder.layers.1.ffn.ffn.in.weight"), HasSubstr("shape"))));
    ReleasedBert coded(false);
    coded.tensors[inner] = coded.at(inner).to(at::kChar);
    coded.save(file_);
    EXPECT_THAT([&] { start(*model); }, ThrowsMessage<Error>(AllOf(HasSubstr(inner), HasSubstr("quantised"))));
}

TEST_F(Released, AClassifierTakesThePooler) {
    const ReleasedBert bert(false);
    bert.save(file_);
    const auto model = preset(kPositions, "bert-base", {{"kind", "classify"}, {"pool", "cls_tanh"}});
    const StartedFrom started = start(*model);
    EXPECT_EQ(started.drawn, (std::vector<std::string>{"head.out.weight", "head.out.bias"}));
    for (const auto& [path, tensor] : model->parameters().entries())
        EXPECT_TRUE(path != "head.pooler.weight" || at::equal(tensor, bert.at("bert.pooler.dense.weight")));
}

TEST_F(Released, AVocabularyOfAnotherSizeIsRefused) {
    ReleasedBert(false).save(file_);
    StartSpec from;
    from.checkpoint = file_;
    const auto model = preset(kPositions);
    EXPECT_THAT(
        [&] {
            startFrom(*model, from, {0, 1, 2});
        },
        ThrowsMessage<Error>(AllOf(HasSubstr("has 120 words, but the vocabulary has 3"), HasSubstr("vocab.txt"))))
        << "its words would have started at random";
}

TEST_F(Released, AVocabularyOfTheRunsOwnIsRefused) {
    ReleasedBert(false).save(file_);
    RunSpec spec;
    spec.train.start.checkpoint = file_;
    RunData data;
    data.sourceTokenizer = vocabulary();
    spec.data.tokenizer.kind = TokenizerKind::WordPiece;
    EXPECT_THROW(publishedRows(spec, data), Error) << "trained on the run's text";
    spec.data.tokenizer.vocab = "vocab.txt";
    EXPECT_EQ(publishedRows(spec, data), rows_);
    EXPECT_EQ(rows_[0], 100);
    EXPECT_EQ(rows_[1], 0);
    spec.data.tokenizer.kind = TokenizerKind::Words;
    EXPECT_THROW(publishedRows(spec, data), Error);
}

TEST_F(Released, AnotherFileIsRefusedByName) {
    const auto model = preset(kPositions);
    writeFile(file_, "no weights");
    EXPECT_THROW(start(*model), Error);
    ReleasedBert bert(false);
    std::erase_if(bert.tensors, [](const auto& entry) { return entry.first.find("encoder.layer") != std::string::npos; });
    bert.save(file_);
    EXPECT_THAT([&] { start(*model); },
                ThrowsMessage<Error>(AllOf(HasSubstr("contains no BERT encoder"), HasSubstr("model.safetensors"))));
}

}  // namespace
}  // namespace heddle
