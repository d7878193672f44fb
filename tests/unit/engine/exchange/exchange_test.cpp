// SPDX-License-Identifier: Apache-2.0
// BERT and GPT-2 as Hugging Face's transformers save them: outputs equal to theirs (transformers 4.57.3, cases by
// tests/oracle/exchange_oracle.py), and back again.
#include "engine/exchange/exchange.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/exchange/published_model.h"
#include "engine/library/opened_model.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/checkpoint/safetensors.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing_support::invalidInput;
using testing_support::readBytes;
using testing_support::TempFolder;

constexpr const char* kCases = HEDDLE_SOURCE_DIR "/tests/unit/engine/exchange/cases";

/// The folders of models that were made with transformers.
std::vector<std::string> folders() {
    const char* given = std::getenv("HEDDLE_EXCHANGE_CASES");
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(given != nullptr ? given : kCases)) all.push_back(entry.path().string());
    std::sort(all.begin(), all.end());
    return all;
}

double apart(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>() / std::max(1.0, b.abs().max().item<double>());
}

struct Opened {
    explicit Opened(const std::string& from)
        : folder(from),
          run(temporary / "run"),
          imported(importWeights({from, run, "m", {}})),
          model(openModel(imported.spec, run, run + "/step-0", "cpu")) {
        const Tokenizer& tokenizer = *model.data.sourceTokenizer;
        std::vector<std::int64_t> ours(static_cast<std::size_t>(tokenizer.size()));
        std::int64_t count = 0;
        for (std::int32_t id = 0; id < tokenizer.size(); ++id)
            if (const std::int64_t row = tokenizer.publisherId(id); row >= 0) {
                ours[static_cast<std::size_t>(row)] = id;
                count = std::max(count, row + 1);
            }
        ours.resize(static_cast<std::size_t>(count));
        ours_V = at::tensor(ours, at::kLong);
    }

    TempFolder temporary;
    std::string folder, run;
    ImportedWeights imported;
    OpenedModel model;
    at::Tensor ours_V;  ///< our id of each of theirs
};

class Exchange : public ::testing::TestWithParam<std::string> {};

TEST_P(Exchange, OutputsAreThoseOfTransformers) {
    const Opened opened(GetParam());
    const NamedTensors said = readSafetensors(opened.folder + "/said.safetensors");
    const at::Tensor& ids_BS = said.at("ids");
    const at::Tensor words_BS = opened.ours_V.index_select(0, ids_BS.flatten()).view(ids_BS.sizes());
    const at::NoGradGuard noGrad;
    const Forward forward;
    const Model& model = *opened.model.model;
    const bool isBert = model.variant().topology == Topology::Encoder;
    const at::Tensor hidden_BSD =
        isBert ? model.encode({words_BS, said.at("types")}, forward) : model.decode({words_BS, {}}, {}, forward);
    EXPECT_LE(apart(hidden_BSD, said.at("hidden")), 1e-5) << GetParam();
    if (!said.contains("logits")) return;
    if (opened.model.data.classes.empty()) {
        const at::Tensor logits_BSV = model.logits(hidden_BSD);
        EXPECT_LE(apart(logits_BSV.index_select(-1, opened.ours_V), said.at("logits")), 1e-5) << GetParam();
        // What the published vocabulary lacks takes no probability from the rest.
        const at::Tensor ours = at::log_softmax(logits_BSV, -1).index_select(-1, opened.ours_V);
        EXPECT_LE(apart(ours, at::log_softmax(said.at("logits"), -1)), 1e-5) << GetParam();
    } else {
        EXPECT_LE(apart(model.logits(model.pool(hidden_BSD, words_BS, forward)), said.at("logits")), 1e-5) << GetParam();
    }
}

TEST_P(Exchange, ThereAndBackIsTheSameToTheBit) {
    const Opened opened(GetParam());
    const bool isBert = opened.imported.spec.variant.resolve().topology == Topology::Encoder;
    const std::string to = opened.temporary / "out";
    fs::create_directory(to);
    const ExportedWeights exported =
        exportWeights({opened.imported.spec, opened.run + "/step-0", to, isBert ? PublishedForm::Bert : PublishedForm::Gpt2});
    EXPECT_THAT(exported.files, ::testing::Contains("tokenizer.json"));
    const NamedTensors given = readPublishedFiles(opened.folder).weights, written = readPublishedFiles(to).weights;
    for (const auto& [name, tensor] : written) {
        const auto found = given.find(given.contains(name) ? name : name.substr(name.find('.') + 1));
        if (found == given.end()) continue;  // a head that was drawn
        EXPECT_TRUE(at::equal(tensor, found->second.to(at::kFloat))) << name;
    }
    const TempFolder again;
    const ImportedWeights second = importWeights({to, again / "run", "m", {}});
    EXPECT_EQ(second.checkpoint.weightsSha256, opened.imported.checkpoint.weightsSha256);
    EXPECT_EQ(second.tokenizerHashes, opened.imported.tokenizerHashes);
    EXPECT_EQ(second.spec.variant.hash(), opened.imported.spec.variant.hash());
}

INSTANTIATE_TEST_SUITE_P(Models, Exchange, ::testing::ValuesIn(folders()), [](const auto& named) {
    std::string name = fs::path(named.param).filename().string();
    std::erase(name, '-');
    return name;
});

/// A copy of a case, to be damaged.
class DamagedModel : public ::testing::Test {
protected:
    DamagedModel() { fs::copy(std::string(kCases) + "/gpt2", folder_); }
    void change(const std::string& patch) const {
        Json config = readJsonFile(folder_ + "/config.json");
        config.merge_patch(Json::parse(patch));
        write("config.json", config.dump());
    }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
    }
    std::string refusal() {
        std::string said = invalidInput([&] { importWeights({folder_, temporary_ / "run", "m", {}}); });
        EXPECT_FALSE(fs::exists(temporary_ / "run/step-0"));
        return said;
    }
    TempFolder temporary_;
    std::string folder_ = temporary_ / "model";
};

TEST_F(DamagedModel, OptionsThatHeddleLacksAreNamed) {
    change(R"({"scale_attn_by_inverse_layer_idx":true})");
    EXPECT_THAT(refusal(), HasSubstr("scale_attn_by_inverse_layer_idx"));
    change(R"({"scale_attn_by_inverse_layer_idx":false,"activation_function":"swish"})");
    EXPECT_THAT(refusal(), HasSubstr("no activation swish"));
    change(R"({"activation_function":"relu","architectures":["GPT2DoubleHeadsModel"]})");
    EXPECT_THAT(refusal(), HasSubstr("GPT2DoubleHeadsModel"));
    change(R"({"model_type":"llama"})");
    EXPECT_THAT(refusal(), HasSubstr("llama"));
}

TEST_F(DamagedModel, FilesThatDoNotBelongTogetherAreRefused) {
    change(R"({"n_inner":48})");
    EXPECT_THAT(refusal(), HasSubstr("has the shape"));
    change(R"({"n_inner":null,"n_layer":3})");
    EXPECT_THAT(refusal(), HasSubstr("no tensor for \"decoder.layers.2."));
    change(R"({"n_layer":2,"vocab_size":100})");
    EXPECT_THAT(refusal(), HasSubstr("vocab_size of config.json is 100"));
    change(R"({"n_embd":-4})");
    EXPECT_THAT(refusal(), HasSubstr("n_embd is -4"));
    change(R"({"n_embd":"many"})");
    EXPECT_THAT(refusal(), HasSubstr("n_embd is no whole number"));
}

TEST_F(DamagedModel, DamagedWeightsAreRefused) {
    const std::string whole = readBytes(folder_ + "/model.safetensors");
    write("model.safetensors", whole.substr(0, whole.size() / 2));
    EXPECT_THAT(refusal(), HasSubstr("invalid safetensors file"));
    std::string long_ = whole;
    long_.replace(0, 8, std::string("\0\0\0\0\1\0\0\0", 8));
    write("model.safetensors", long_);
    EXPECT_THAT(refusal(), HasSubstr("larger than 100 MB"));
    NamedTensors weights = parseSafetensors(whole, "whole");
    weights.at("transformer.ln_f.bias")[3] = std::numeric_limits<float>::quiet_NaN();
    std::string bytes;
    const SafetensorsImage image(weights);
    for (const std::string_view part : image.parts()) bytes += part;
    write("model.safetensors", bytes);
    EXPECT_THAT(refusal(), HasSubstr("NaN"));
    fs::remove(folder_ + "/model.safetensors");
    EXPECT_THAT(refusal(), HasSubstr("no model.safetensors"));
}

TEST_F(DamagedModel, AnIndexStaysInItsFolder) {
    fs::rename(folder_ + "/model.safetensors", folder_ + "/part.safetensors");
    const auto index = [&](const std::string& map) { write("model.safetensors.index.json", "{\"weight_map\":" + map + "}"); };
    index(R"({"x":"../part.safetensors"})");
    EXPECT_THAT(refusal(), HasSubstr("in no file of the folder"));
    index(R"({"x":"part.safetensors"})");
    EXPECT_THAT(refusal(), HasSubstr("lacks \"x\""));
    index("[]");
    EXPECT_THAT(refusal(), HasSubstr("no weight_map"));
    fs::copy(folder_ + "/part.safetensors", folder_ + "/other.safetensors");
    index(R"({"transformer.wte.weight":"part.safetensors","transformer.wpe.weight":"other.safetensors"})");
    EXPECT_THAT(refusal(), HasSubstr("is in two files"));
}

TEST(PublishedForms, AnotherVariantIsRefusedWithItsFirstDifference) {
    const auto variant = [](Json changes) {
        Json document = {{"preset", "bert-base"}};
        document.update(changes, true);
        return VariantSpec::parse(document, builtinCatalogue());
    };
    EXPECT_EQ(requirePublishedForm(variant(Json::object()), PublishedForm::Bert).layers, 12);
    EXPECT_THAT(invalidInput([&] {
                    requirePublishedForm(variant({{"defaults", {{"residual", {{"kind", "grc"}}}}}}), PublishedForm::Bert);
                }),
                HasSubstr("residual"));
    EXPECT_THAT(invalidInput([&] { requirePublishedForm(variant(Json::object()), PublishedForm::Gpt2); }),
                HasSubstr("the variant is no GPT-2: topology"));
}

}  // namespace
}  // namespace heddle
