// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heddle::testing_support {

/// A small file of each format, written for the tests: what the readers are tried on whole and damaged.
struct ExampleFixture {
    std::string format, name, bytes;
    std::size_t examples;
};

inline std::vector<ExampleFixture> glueFixtures() {
    return {
        {"glue/cola", "CoLA/train.tsv", "gj04\t1\t\tThe boat sank.\ncj99\t0\t*\tThe boat \"sank the.\n", 2},
        {"glue/cola", "CoLA/test.tsv", "index\tsentence\n0\tBirds fly.\n1\tFly birds the.\n", 2},
        {"glue/sst-2", "SST-2/train.tsv", "sentence\tlabel\na fine film \t1\n\" dull \t0\n", 2},
        {"glue/sst-2", "SST-2/test.tsv", "index\tsentence\n0\ta film\n", 1},
        {"glue/mrpc", "MRPC/train.tsv",
         "\xEF\xBB\xBFQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t11\t12\tHe said \" no .\tHe denied it "
         ".\n0\t13\t14\tA\tB\n",
         2},
        {"glue/mrpc", "MRPC/test.tsv", "index\t#1 ID\t#2 ID\t#1 String\t#2 String\n0\t11\t12\tOne .\tTwo .\n", 1},
        {"glue/sts-b", "STS-B/train.tsv",
         "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
         "0\tnews\tMSR\t2012\t1\tnone\tnone\tA man eats.\tA man is eating.\t4.800\n"
         "1\tnews\tMSR\t2012\t2\tnone\tnone\tA dog.\tA tax.\t0\n",
         2},
        {"glue/sts-b", "stsbenchmark/sts-train.csv", "news\tMSR\t2012test\t0001\t5.000\tA plane.\tAn air plane.\n", 1},
        {"glue/qqp", "QQP/train.tsv",
         "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n7\t1\t2\tWhy?\tHow "
         "so?\t1\n8\t3\t4\tWho\n9\t5\t6\tWho?\tWhat?\t0\n",
         2},
        {"glue/mnli", "MNLI/dev_matched.tsv",
         "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\tsentence2_parse\t"
         "sentence1\tsentence2\tlabel1\tlabel2\tgold_label\n"
         "0\t63\t63n\tslate\t(\t(\t(\t(\tIt rains.\tIt is wet.\tneutral\tentailment\tentailment\n"
         "1\t64\t64n\tslate\t(\t(\t(\t(\tIt rains.\tIt is dry.\tneutral\tcontradiction\t-\n",
         1},
        {"glue/qnli", "QNLI/train.tsv", "index\tquestion\tsentence\tlabel\n0\tWho?\tHe did.\tentailment\n", 1},
        {"glue/rte", "RTE/train.tsv", "index\tsentence1\tsentence2\tlabel\n0\tIt rains.\tIt is wet.\tnot_entailment\n", 1},
        {"glue/wnli", "WNLI/train.tsv", "index\tsentence1\tsentence2\tlabel\n0\tI stuck a pin.\tThe pin did.\t1\n", 1},
        {"glue/ax", "AX/diagnostic.tsv", "index\tsentence1\tsentence2\n0\tThe cat sat.\tA cat sat.\n", 1},
        {"glue/ax", "AX/diagnostic-full.tsv",
         "Logic\tPremise\tHypothesis\tLabel\nNegation\tIt rains.\tIt is dry.\tcontradiction\n", 1},
        {"snli", "snli_1.0_dev.jsonl",
         "{\"annotator_labels\":[\"neutral\"],\"gold_label\":\"neutral\",\"pairID\":\"1r1n\",\"sentence1\":\"Two women.\","
         "\"sentence2\":\"Sisters \\u00e9.\"}\n"
         "{\"annotator_labels\":[],\"gold_label\":\"-\",\"pairID\":\"1r1c\",\"sentence1\":\"a\",\"sentence2\":\"b\"}\n",
         1},
        {"snli", "snli_1.0_dev.txt",
         "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1\tsentence2\tcaptionID\tpairID\tlabel1\tlabel2\n"
         "neutral\t(\t(\tTwo women.\tSisters.\t1#0\t1r1n\tneutral\tneutral\n-\t(\t(\ta\tb\t1#0\t1r1c\tneutral\n"
         "entailment\t(\t(\tTwo women.\tWomen.\t1#0\t1r1e\tentailment\n",
         2},
    };
}

inline std::vector<ExampleFixture> otherFixtures() {
    return {
        {"clue/tnews", "tnews/train.json",
         "{\"label\": \"102\", \"label_desc\": \"news_entertainment\", \"sentence\": \"江疏影自拍\", \"keywords\": "
         "\"江疏影\"}\n"
         "{\"label\": \"110\", \"label_desc\": \"news_military\", \"sentence\": \"空袭开始！\", \"keywords\": \"\"}\n",
         2},
        {"clue/tnews", "tnews/test.json", "{\"id\": 0, \"sentence\": \"商赢环球\", \"keywords\": \"\"}\n", 1},
        {"clue/afqmc", "afqmc/dev.json", "{\"sentence1\": \"花呗\", \"sentence2\": \"借呗\", \"label\": \"0\"}\n", 1},
        {"clue/cmnli", "cmnli/dev.json",
         "{\"sentence1\": \"下雨\", \"sentence2\": \"湿\", \"label\": \"neutral\"}\n"
         "{\"sentence1\": \"下雨\", \"sentence2\": \"湿\", \"label\": \"-\"}\n",
         1},
        {"clue/ocnli", "ocnli/dev.json",
         "{\"level\": \"easy\", \"sentence1\": \"下雨\", \"sentence2\": \"湿\", \"label\": \"entailment\", \"label0\": "
         "\"entailment\", "
         "\"genre\": \"news\", \"prem_id\": \"n_1\", \"id\": 3}\n",
         1},
        {"clue/iflytek", "iflytek/train.json", "{\"label\": \"11\", \"label_des\": \"薅羊毛\", \"sentence\": \"一款应用\"}\n",
         1},
        {"clue/csl", "csl/train.json",
         "{\"id\": 1, \"abst\": \"一种方法\", \"keyword\": [\"水声\", \"定位\"], \"label\": \"1\"}\n", 1},
        {"clue/wsc", "cluewsc2020/train.json",
         "{\"target\": {\"span2_index\": 11, \"span1_index\": 3, \"span1_text\": \"床\", \"span2_text\": \"它\"}, \"idx\": "
         "261, "
         "\"label\": \"false\", \"text\": \"放在我床上的手机响了，它很响。\"}\n"
         "{\"target\": {\"span2_index\": 0, \"span1_index\": 2, \"span1_text\": \"李鼎\", \"span2_text\": \"他\"}, \"idx\": 2, "
         "\"label\": \"true\", \"text\": \"他是李鼎\"}\n",
         2},
        {"clue/wsc", "cluewsc2020/test.json",
         "{\"target\": {\"span2_index\": 0, \"span1_index\": 2, \"span1_text\": \"李鼎\", \"span2_text\": \"他\"}, \"id\": 7, "
         "\"text\": \"他是李鼎\"}\n",
         1},
        {"conll", "eng.train",
         "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\nGerman JJ I-NP I-MISC\n\nUN NNP I-NP I-ORG\n"
         "US NNP I-NP B-ORG\n",
         2},
        {"squad", "dev-v2.0.json",
         "{\"version\": \"v2.0\", \"data\": [{\"title\": \"T\", \"paragraphs\": [{\"context\": \"Zürich liegt am See.\", "
         "\"qas\": ["
         "{\"id\": \"q1\", \"question\": \"Woran?\", \"is_impossible\": false, \"answers\": [{\"text\": \"am See\", "
         "\"answer_start\": "
         "13}, {\"text\": \"See\", \"answer_start\": 16}]},"
         "{\"id\": \"q2\", \"question\": \"Wann?\", \"is_impossible\": true, \"answers\": []}]}]}]}",
         2},
        {"tsv", "mine.tsv", "good thing\tyes\nbad thing\tno\n", 2},
        {"tsv/pairs", "pairs.tsv", "text\ttext2\tlabel\na\tb\tsame\nc\td\tother\n", 2},
    };
}

inline const std::vector<ExampleFixture>& exampleFixtures() {
    static const std::vector<ExampleFixture> kFixtures = [] {
        std::vector<ExampleFixture> all = glueFixtures();
        for (const ExampleFixture& other : otherFixtures()) all.push_back(other);
        return all;
    }();
    return kFixtures;
}

}  // namespace heddle::testing_support
