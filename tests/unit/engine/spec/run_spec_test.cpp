// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/run_spec.h"

#include "engine/base/sha256.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace heddle {
namespace {

using ::testing::HasSubstr;

RunSpec parse(const std::string& text, const std::string& base = "/spec") {
    return RunSpec::parse(parseJson(text, "test"), builtinCatalogue(), base);
}

std::string messageOf(const std::string& text) {
    return whyRefused([&] { parse(text); });
}

// The example of the design, section 3, with every other section besides.
const char* const kExample = R"({"schema":1, "seed":3, "name":"first",
 "variant":{"preset":"eau-base","dims":{"d":128,"f":512,"heads":8,"layers_enc":2,"layers_dec":2,"max_len":64},
            "encoder":{"sublayers":[{"name":"self","adjuster":{"kind":"eau"}},{"name":"ffn","residual":{"kind":"grc"}}],
                       "layers":{"1":{"self":{"residual":{"kind":"grc","gate_input":"r"}}}}}},
 "data":{"train":{"source":"train.en.gz","target":"../train.de.gz"},"valid":{"source":"/data/v.en","target":"/data/v.de"},
         "tokenizer":{"kind":"words","min_count":3,"lower":true},"limit":100},
 "train":{"optimizer":{"kind":"adam","betas":[0.9,0.999]},"schedule":{"kind":"noam","warmup":400},"epochs":20,
          "batch":{"tokens":2048},"early_stopping":{"metric":"bleu","patience":3},"device":"cuda:1","threads":2},
 "evaluate":{"every_steps":50},
 "record":{"scalars_every":2,"histograms_every":0,"max_mib":12.5}})";

TEST(RunSpec, ReadsEveryKindOfMember) {
    const auto run = parse(kExample);
    EXPECT_EQ(run.seed, 3u);
    EXPECT_EQ(run.name, "first");
    EXPECT_EQ(run.data.train.source, "/spec/train.en.gz");
    EXPECT_EQ(run.data.train.target, "/train.de.gz");
    EXPECT_EQ(run.data.valid.target, "/data/v.de");
    EXPECT_TRUE(run.data.test.empty());
    EXPECT_EQ(run.data.tokenizer.minCount, 3);
    EXPECT_TRUE(run.data.tokenizer.lower);
    EXPECT_EQ(run.train.optimizer, OptimizerKind::Adam);
    EXPECT_EQ(run.train.betas[1], 0.999);
    EXPECT_EQ(run.train.schedule, ScheduleKind::Noam);
    EXPECT_EQ(run.train.warmup, 400);
    EXPECT_EQ(run.train.batchTokens, 2048);
    EXPECT_EQ(run.train.stopMetric, "bleu");
    EXPECT_EQ(run.train.device, "cuda:1");
    EXPECT_EQ(run.evaluate.everySteps, 50);
    EXPECT_EQ(run.record.histogramsEvery, 0);
    EXPECT_EQ(run.record.maxMib, 12.5);
    EXPECT_EQ(run.variant.resolve().dims.keyDim, 16);
    EXPECT_EQ(run.variant.resolve().encoder[1].sublayers[0].slots.at("residual").id, "grc");
}

TEST(RunSpec, DefaultsAreThoseOfTheStruct) { EXPECT_EQ(parse("{}").toJson(), R"({"schema":1,"variant":{}})"_json); }

// Released defaults never change: a run spec written today means the same in ten years.
TEST(RunSpec, ReleasedDefaultsStay) {
    Json all = withDefaults(runSchema(), Json::object());
    EXPECT_EQ(all, R"({"schema":1,"seed":1,"name":"",
        "data":{"task":"translation","format":"lines","train":{"source":"","target":""},"valid":{"source":"","target":""},"test":{"source":"","target":""},
                "tokenizer":{"kind":"auto","split":"whitespace","lower":false,"min_count":2,"model":"unigram","vocab_size":8000,"shared":false,
                             "mask":false,"vocab":"","file":"","target":{}},
                "columns":{"text":"","second":"","label":""},"stride":128,
                "split":{"valid":0,"test":0},"vectors":"","packing":"lines","transductive":false,"on_bad_line":"stop",
                "min_words":0,"max_words":0,"max_tokens":0,"limit":0,
                "corrupt":{"rate":0.15,"mask":0.8,"random":0.1,"specials":false,"exclude_self":false},
                "generated":{"train":10000,"valid":1000,"test":1000,"shortest":4,"longest":16,"words":26,"distance":4,"seed":1}},
        "train":{"optimizer":{"kind":"adamw","betas":[0.9,0.98],"eps":1e-8,"weight_decay":0.01,
                              "muon":{"momentum":0.95,"nesterov":true,"iterations":5,"scale":"original"}},
                 "groups":[],"lr":1e-3,
                 "schedule":{"kind":"constant","warmup":4000,"factor":1,"steps":0,"end":0,"decay":0.2,"shape":"linear","plateau_factor":0.5,"plateau_patience":2},
                 "loss":"auto","start":{"checkpoint":"","weights_sha256":"","neutral":false,"state":false,"freeze":[],"layer_decay":1},"epochs":10,"steps":0,"budget":{"tokens":0,"flops":0,"seconds":0},"extended":[],"batch":{"tokens":4096,"sentences":0,"round":0},
                 "accumulate":1,"clip":1,"label_smoothing":0.1,"z_loss":0,"ema":0,"precision":"auto","deterministic":true,"graphs":true,
                 "early_stopping":{"metric":"loss","patience":0},"checkpoint_every":1000,"keep_last":2,"threads":0,"device":"auto"},
        "evaluate":{"every_epochs":1,"every_steps":0,"bleu_sentences":0,"bleu_every_epochs":1,"beam":0,"length_penalty":0,"test_at_end":true,"timed_sentences":0,"timed_uncached":false},
        "record":{"scalars_every":1,"histograms_every":20,"maps_every":200,"probes":2,"health_every":0,"max_mib":256,"system_every":5}})"_json);
    EXPECT_EQ(parse(R"({"train":{"ema":0}})").hash({}), parse("{}").hash({}));
    EXPECT_EQ(parse(R"({"train":{"groups":[]}})").hash({}), parse("{}").hash({}));
    EXPECT_NE(parse(R"({"train":{"ema":0.999}})").hash({}), parse("{}").hash({}));
    EXPECT_EQ(parse(R"({"record":{"system_every":60}})").hash({}), parse("{}").hash({})) << "it is about the machine";
    EXPECT_EQ(parse("{}").hash({}), sha256Hex(R"({"data_hashes":[],"schema":1,"variant":{}})"));
}

TEST(RunSpec, EveryFieldExplainsItself) {
    const std::function<void(const FieldSchema&, const std::string&)> visit = [&](const FieldSchema& field,
                                                                                  const std::string& path) {
        EXPECT_TRUE(field.help.ends_with('.')) << path << ": " << field.help;
        if (field.type == FieldSchema::Type::Integer || field.type == FieldSchema::Type::Number) {
            EXPECT_TRUE(std::isfinite(field.minimum) && std::isfinite(field.maximum)) << path;
        }
        if (field.type != FieldSchema::Type::List)
            for (const auto& child : field.fields) visit(child, path + "." + child.key);
    };
    visit(runSchema(), "run");
    visit(variantSchema(), "variant");
}

TEST(RunSpec, CompactFormIsTheSameRun) {
    for (const std::string text : {kExample, "{}", R"({"preset":"eau-full"})",
                                   R"({"data":{"tokenizer":{"mask":true,"target":{"kind":"words","file":"f"}}}})",
                                   R"({"train":{"steps":50}})", R"({"train":{"steps":50,"epochs":10}})",
                                   R"({"train":{"batch":{"sentences":32}}})", R"({"train":{"batch":{"sentences":0}}})"}) {
        const auto run = parse(text);
        const auto again = RunSpec::parse(run.toJson(), builtinCatalogue(), "/elsewhere");
        EXPECT_EQ(canonicalJson(again.toJson()), canonicalJson(run.toJson())) << text;
        EXPECT_EQ(again.resolvedJson(), run.resolvedJson()) << text;
        EXPECT_EQ(again.hash({"a"}), run.hash({"a"})) << text;
    }
}

TEST(RunSpec, ABudgetTakesThePlaceOfTheEpochs) {
    const auto run = parse(R"({"train":{"budget":{"tokens":1000000}}})");
    EXPECT_EQ(run.train.epochs, 0);
    EXPECT_EQ(parse(R"({"train":{"budget":{"seconds":60},"epochs":3}})").train.epochs, 3);
    EXPECT_EQ(parse(R"({"train":{"budget":{"seconds":0}}})").train.epochs, 10);
    EXPECT_EQ(parse(run.toJson().dump()).hash({}), run.hash({}));
}

TEST(RunSpec, GroupsOfParametersAreAList) {
    const auto run = parse(R"({"train":{"groups":[{"parameters":"matrices","rate":20},{"parameters":"*.bias","decay":0}]}})");
    ASSERT_EQ(run.train.groups.size(), 2U);
    EXPECT_EQ(run.train.groups[0].rate, 20);
    EXPECT_EQ(run.train.groups[0].decay, 1);
    EXPECT_EQ(run.train.groups[1].parameters, "*.bias");
    EXPECT_EQ(run.train.groups[1].decay, 0);
    EXPECT_EQ(run.toJson().at("train").at("groups"),
              R"([{"parameters":"matrices","rate":20.0},{"parameters":"*.bias","decay":0.0}])"_json);
    EXPECT_THAT(messageOf(R"({"train":{"z_loss":1e-4,"loss":"hinge"}})"), HasSubstr("no cross-entropy"));
    EXPECT_THAT(messageOf(R"({"train":{"z_loss":1e-4},"data":{"task":"regress"}})"), HasSubstr("no cross-entropy"));
    EXPECT_THAT(messageOf(R"({"train":{"start":{"state":true}}})"), HasSubstr("no checkpoint to go on from"));
    EXPECT_THAT(messageOf(R"({"train":{"groups":[{"rate":2}]}})"), HasSubstr("names no parameters"));
    EXPECT_THAT(messageOf(R"({"train":{"groups":[{"parameter":"head"}]}})"), HasSubstr("did you mean \"parameters\""));
}

TEST(RunSpec, TheTargetSidesTokenizerIsTheSourcesWithItsDifferences) {
    const auto run = parse(R"({"data":{"tokenizer":{"kind":"wordpiece","vocab":"en/vocab.txt","lower":true,
                                                    "target":{"kind":"characters","file":"zh.json"}}}})");
    const TokenizerSpec& source = run.data.tokenizer;
    EXPECT_EQ(source.vocab, "/spec/en/vocab.txt");
    const TokenizerSpec target = source.forTarget();
    EXPECT_EQ(target.kind, TokenizerKind::Characters);
    EXPECT_EQ(target.vocab, "") << "another kind has no use for it";
    EXPECT_EQ(target.file, "/spec/zh.json");
    EXPECT_TRUE(target.lower);
    EXPECT_EQ(target.minCount, 2);
    EXPECT_EQ(parse("{}").data.tokenizer.forTarget().kind, TokenizerKind::Auto);
    EXPECT_THAT(messageOf(R"({"data":{"tokenizer":{"target":{"kind":"word"}}}})"), HasSubstr("did you mean \"words\""));
    EXPECT_THAT(messageOf(R"({"data":{"tokenizer":{"shared":true,"target":{"lower":true}}}})"),
                HasSubstr("shared by both sides"));
    EXPECT_THAT(messageOf(R"({"data":{"tokenizer":{"vocab":"vocab.txt"}}})"), HasSubstr("for wordpiece only"));
    EXPECT_THAT(messageOf(R"({"data":{"tokenizer":{"kind":"wordpiece","vocab":"v.txt","file":"f"}}})"), HasSubstr("keep one"));
}

TEST(RunSpec, ATokenizersFileCountsByItsContents) {
    const auto hash = [](const std::string& tokenizer) {
        return parse(R"({"data":{"tokenizer":)" + tokenizer + "}}").hash({"d"});
    };
    EXPECT_EQ(hash(R"({"file":"a.json"})"), hash(R"({"file":"b.json"})"));
    EXPECT_NE(hash(R"({"file":"a.json"})"), hash("{}"));
    EXPECT_EQ(hash(R"({"target":{"file":"a"}})"), hash(R"({"target":{"file":"b"}})"));
    EXPECT_NE(hash(R"({"target":{"lower":true}})"), hash("{}"));
    EXPECT_EQ(hash(R"({"mask":false,"target":{}})"), hash("{}"));
}

TEST(RunSpec, WhereAFileLiesIsNoPartOfTheHash) {
    int files = 0;
    for (const MarkedSetting& setting : markedSettings()) {
        if (!namesFile(*setting.field)) continue;
        ++files;
        const auto hash = [&setting](const std::string& path) {
            // Of a classifier, whose splits have one file each.
            Json document = R"({"variant":{"topology":"encoder","head":"classify"},"data":{"task":"classify","format":"tsv",
                "train":{"source":"/t"},"valid":{"source":"/v"},"test":{"source":"/x"},"tokenizer":{"kind":"wordpiece"}}})"_json;
            document[setting.pointer] = path;
            return RunSpec::parse(document, builtinCatalogue()).hash({"d"});
        };
        EXPECT_EQ(hash("/a/one"), hash("/b/two")) << setting.path;
    }
    EXPECT_EQ(files, 12);
}

TEST(RunSpec, SettingsOfARoleCanBeLeftOut) {
    using Role = FieldSchema::Role;
    const Json document = R"({"seed":2,"name":"x","schema":1,"variant":{},"train":{"device":"cpu","threads":2},
                              "data":{"train":{"source":"a","target":"b"},"vectors":"v","limit":3}})"_json;
    EXPECT_EQ(withoutMarked(document, {Role::Label, Role::OwnBits}),
              R"({"schema":1,"variant":{},"data":{"train":{"source":"a","target":"b"},"vectors":"v","limit":3}})"_json);
    EXPECT_EQ(withoutMarked(document, {Role::DataFile}), R"({"seed":2,"name":"x","schema":1,"variant":{},
                                                            "train":{"device":"cpu","threads":2},"data":{"limit":3}})"_json);
}

TEST(RunSpec, AlternativesLiftEachOther) {
    EXPECT_EQ(parse(R"({"train":{"steps":50}})").train.epochs, 0);
    EXPECT_EQ(parse(R"({"train":{"steps":50,"epochs":3}})").train.epochs, 3);
    EXPECT_EQ(parse(R"({"train":{"batch":{"sentences":32}}})").train.batchTokens, 0);
    EXPECT_EQ(parse(R"({"train":{"batch":{"sentences":0}}})").train.batchTokens, 4096);
}

TEST(RunSpec, BareVariantIsAccepted) {
    EXPECT_EQ(parse(R"({"preset":"eau-full","dims":{"d":128}})").variant.hash(),
              parse(R"({"variant":{"preset":"eau-full","dims":{"d":128}}})").variant.hash());
    EXPECT_EQ(asRunDocument(R"({"dims":{}})"_json), R"({"variant":{"dims":{}}})"_json);
    EXPECT_EQ(asRunDocument(R"({"seed":1})"_json), R"({"seed":1})"_json);
}

TEST(RunSpec, HashIgnoresWhatDoesNotChangeTheResult) {
    const auto base = parse(kExample).hash({"d1", "d2"});
    const auto with = [](const std::string& set) {
        Json document = parseJson(kExample, "test");
        applySet(document, set);
        return RunSpec::parse(document, builtinCatalogue(), "/other").hash({"d1", "d2"});
    };
    for (const char* same : {"seed=9", "name=other", "train.device=cpu", "data.train.source=elsewhere.en", "train.clip=1",
                             "variant.dims.key_dim=16"})
        EXPECT_EQ(with(same), base) << same;
    for (const char* other : {"train.lr=0.5", "dims.d=256", "data.tokenizer.lower=false", "record.probes=3", "data.limit=7",
                              "encoder.self.adjuster=none", "evaluate.every_steps=51"})
        EXPECT_NE(with(other), base) << other;
    EXPECT_NE(parse(kExample).hash({"d1", "d3"}), base);
    EXPECT_NE(parse(kExample).hash({"d1"}), base);
}

TEST(RunSpec, HashTellsSplitsApartAndUsualOnesKeepTheirs) {
    const auto hash = [](const std::string& splits) {
        return parse(R"({"data":{"train":{"source":"a","target":"A"})" + splits + "}}").hash({"d1", "d2", "d3", "d4"});
    };
    const std::string valid = R"(,"valid":{"source":"b","target":"B"})", test = R"(,"test":{"source":"b","target":"B"})";
    const std::string drawn = R"(,"split":{"valid":0.1})";
    EXPECT_NE(hash(valid), hash(test));
    EXPECT_NE(hash(valid + drawn), hash(test + drawn));
    EXPECT_EQ(hash(valid), hash("")) << "as it was before splits were told apart";
    EXPECT_EQ(hash(test + drawn), hash(drawn));
    EXPECT_EQ(hash(valid + test), hash(""));
}

TEST(RunSpec, AStatedNumberOfThreadsIsPartOfTheRunAndNotOfItsGroup) {
    const RunSpec open = parse("{}"), one = parse(R"({"train":{"threads":1}})"), two = parse(R"({"train":{"threads":2}})");
    EXPECT_NE(one.hash({"d"}), two.hash({"d"})) << "their sums are added in another order: other bits";
    EXPECT_NE(one.hash({"d"}), open.hash({"d"}));
    EXPECT_EQ(one.groupHash({"d"}), two.groupHash({"d"}));
    EXPECT_EQ(one.groupHash({"d"}), open.hash({"d"}));
    EXPECT_NE(one.groupHash({"e"}), one.groupHash({"d"}));
}

TEST(RunSpec, AnOpenPrecisionIsNotWrittenDownAndAStatedOneIs) {
    EXPECT_FALSE(parse(kExample).toJson()["train"].contains("precision"))
        << "specs that were stored without it stay as they are";
    EXPECT_EQ(parse(R"({"train":{"precision":"auto"}})").hash({}), parse("{}").hash({}));
    for (const std::string precision : {"fp32", "tf32", "bf16"}) {
        const auto run = parse(R"({"train":{"precision":")" + precision + R"("}})");
        EXPECT_EQ(wordOf(run.train.precision), precision);
        EXPECT_EQ(run.toJson()["train"]["precision"], precision);
        EXPECT_NE(run.hash({}), parse("{}").hash({}));
    }
    EXPECT_THAT(messageOf(R"({"train":{"precision":"tf32","device":"cpu"}})"),
                HasSubstr("tf32 is not available on a CPU (spec, train.precision): use fp32"));
    EXPECT_THAT(messageOf(R"({"train":{"precision":"fp8"}})"), HasSubstr("spec, train.precision"));
}

TEST(RunSpec, ResolvedJsonShowsEverything) {
    const Json all = parse(kExample).resolvedJson();
    EXPECT_EQ(all["train"]["optimizer"]["eps"], 1e-8);
    EXPECT_EQ(all["variant"]["encoder.layers.1.self.residual"]["kind"], "grc");
    EXPECT_EQ(all["variant"]["dims"]["key_dim"], 16);
}

TEST(RunSpecProblems, NamePathAndRemedy) {
    EXPECT_THAT(messageOf(R"({"train":{"lrr":1}})"), HasSubstr("unknown key \"lrr\" (spec, train.lrr): did you mean \"lr\"?"));
    EXPECT_THAT(messageOf(R"({"trian":{}, "variant":{}})"),
                HasSubstr("unknown key \"trian\" (spec, trian): did you mean \"train\"?"));
    EXPECT_THAT(messageOf(R"({"seed":1,"dims":{}})"),
                HasSubstr("unknown key \"dims\" (spec, dims): write it inside \"variant\""));
    EXPECT_THAT(messageOf(R"({"train":{"lr":-1}})"),
                HasSubstr("-1 is out of range (spec, train.lr): use a number from 0 to 100"));
    EXPECT_THAT(messageOf(R"({"train":{"optimizer":"sgd"}})"), HasSubstr("spec, train.optimizer.kind"));
    EXPECT_THAT(messageOf(R"({"train":{"optimizer":{"betas":[0.9]}}})"), HasSubstr("train.optimizer.betas"));
    EXPECT_THAT(messageOf(R"({"train":{"optimizer":{"betas":[0.9,1]}}})"), HasSubstr("train.optimizer.betas.1"));
    EXPECT_THAT(messageOf(R"({"train":{"optimizer":{"betas":0.9}}})"), HasSubstr("train.optimizer.betas"));
    EXPECT_THAT(messageOf(R"({"schema":2})"), HasSubstr("2 is out of range (spec, schema)"));
    EXPECT_THAT(messageOf(R"({"data":{"train":{"source":"a"}}})"),
                HasSubstr("only one of source and target is given (spec, data.train)"));
    EXPECT_THAT(messageOf(R"({"train":{"batch":{"tokens":10,"sentences":10}}})"),
                HasSubstr("tokens and sentences cannot be given together"));
    EXPECT_THAT(messageOf(R"({"train":{"batch":{"tokens":0}}})"), HasSubstr("the batch size is 0"));
    EXPECT_THAT(messageOf(R"({"train":{"epochs":0}})"), HasSubstr("training would never end"));
    EXPECT_THAT(messageOf(R"({"train":{"early_stopping":{"patience":2}},"evaluate":{"every_epochs":0}})"),
                HasSubstr("evaluation is switched off"));
    EXPECT_THAT(messageOf(R"({"train":{"early_stopping":{"patience":2,"metric":"bleu"}},"evaluate":{"bleu_every_epochs":0}})"),
                HasSubstr("bleu is not evaluated"));
    for (const char* device : {"gpu", "cuda:", "cuda:x", "cuda:1234", "CPU"})
        EXPECT_THAT(messageOf(R"({"train":{"device":")" + std::string(device) + R"("}})"), HasSubstr("unknown device"))
            << device;
    for (const char* document : {"[]", "1", "\"eau-base\"", "null"})
        EXPECT_THAT(messageOf(document), HasSubstr("use an object")) << document;
}

TEST(RunSpecProblems, RunAndVariantAtOnce) {
    const auto message = messageOf(R"({"variant":{"dims":{"d":100,"heads":3},"heed":"lm"},"train":{"lr":"fast"},"dta":{}})");
    EXPECT_THAT(message, HasSubstr("4 problems (spec): correct each"));
    for (const char* path : {"\n  dta: ", "\n  train.lr: ", "\n  heed: ", "\n  dims.heads: "})
        EXPECT_THAT(message, HasSubstr(path));
}

}  // namespace
}  // namespace heddle
