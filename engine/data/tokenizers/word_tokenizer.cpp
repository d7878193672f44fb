// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/word_tokenizer.h"

namespace heddle {

const ListForm& wordForm() {
    static const ListForm form{
        "words",
        "heddle.words/1",
        "words",
        "word",
        true,
        [](const std::string& line, const TokenizerSpec& spec) { return splitWords(line, spec.split); },
        [](const std::vector<std::string>& words, const TokenizerSpec& spec) { return joinWords(words, spec.split); }};
    return form;
}

}  // namespace heddle
