// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/trainable.h"

#include "engine/spec/error.h"

#include <fmt/format.h>

namespace heddle {

void throwIfNotTrainable(const VariantSpec& variant) {
    constexpr const char* kWhat = "this version trains encoder-decoders on pairs of sentences; {}";
    constexpr const char* kNext =
        "{}; heddle variants count and heddle verify take every variant, and eau-base is one that can be trained";
    const ResolvedVariant resolved = variant.resolve();
    if (resolved.topology != "encdec")
        throwInvalid(fmt::format(kWhat, fmt::format("topology \"{}\" is none", resolved.topology)), "variant, topology",
                     fmt::format(kNext, "set topology to \"encdec\""));
    if (const std::string& head = resolved.globals.at("head").id; head != "lm" && head != "mlm")
        throwInvalid(fmt::format(kWhat, fmt::format("head \"{}\" writes no words", head)), "variant, head",
                     fmt::format(kNext, "use head lm"));
    const BlockChoice& embed = resolved.globals.at("embed");
    if (embed.id == "frozen_file" && embed.params.at("vectors") == "file")
        throwInvalid("files of word vectors are not read yet", "variant, embed.vectors",
                     fmt::format(kNext, "set embed.vectors to \"random\", or embed.source to learned"));
}

}  // namespace heddle
