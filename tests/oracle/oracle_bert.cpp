// SPDX-License-Identifier: Apache-2.0
// Heddle's half of the comparison with Hugging Face's BERT (bert_oracle.py): starts preset bert-base from published weights and
// writes what it computes for given ids.
//   oracle_bert MODEL.safetensors VOCAB.txt VARIANT.json IDS.safetensors OUT.safetensors
// IDS: "ids" int64 [B,S] and "types" int64 [B,S], ids as in VOCAB.txt; OUT: "hidden" [B,S,D] and "logits" [B,S,V], words in the
// order of VOCAB.txt, both float32.
#include "engine/base/json.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/run/event_words.h"
#include "engine/train/checkpoint/safetensors.h"
#include "engine/train/loop/start.h"

#include <fstream>
#include <iostream>

namespace heddle {
namespace {

void compare(char** argv) {
    RunSpec spec;
    spec.train.start.checkpoint = argv[1];
    spec.data.tokenizer.kind = TokenizerKind::WordPiece;
    spec.data.tokenizer.vocab = argv[2];
    RunData data;
    data.sourceTokenizer = readTokenizer(argv[2], spec.data.tokenizer);
    const std::vector<std::int64_t> rows = publishedRows(spec, data);
    const VariantSpec variant = VariantSpec::parse(readJsonFile(argv[3]), builtinCatalogue());
    const auto model = buildModel(variant.resolve(data.sourceTokenizer->size(), data.sourceTokenizer->size()), 1);
    std::cout << wordsOf(startFrom(*model, spec.train.start, rows)).text << "\n";

    const NamedTensors given = readSafetensors(argv[4]);
    const at::Tensor ours_V = at::empty({static_cast<std::int64_t>(rows.size())}, at::kLong);  // our id of each of theirs
    for (std::size_t id = 0; id < rows.size(); ++id) ours_V[rows[id]].fill_(static_cast<std::int64_t>(id));
    const at::Tensor& ids_BS = given.at("ids");
    const at::Tensor words_BS = ours_V.index_select(0, ids_BS.flatten()).view(ids_BS.sizes());
    const at::NoGradGuard noGrad;
    const Forward forward;
    const at::Tensor hidden_BSD = model->encode({words_BS, given.at("types")}, forward);
    const at::Tensor logits_BSV = model->logits(hidden_BSD).index_select(-1, ours_V);
    const NamedTensors said{{"hidden", hidden_BSD.contiguous()}, {"logits", logits_BSV.contiguous()}};
    const SafetensorsImage image(said);
    std::ofstream out(argv[5], std::ios::binary);
    for (const std::string_view part : image.parts()) out.write(part.data(), static_cast<std::streamsize>(part.size()));
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) try {
    if (argc != 6) {
        std::cerr << "usage: oracle_bert MODEL.safetensors VOCAB.txt VARIANT.json IDS.safetensors OUT.safetensors\n";
        return 2;
    }
    heddle::compare(argv);
    return 0;
} catch (const std::exception& error) {
    std::cerr << "oracle_bert: " << error.what() << "\n";
    return 1;
}
