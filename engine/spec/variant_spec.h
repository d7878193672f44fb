// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/catalogue.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A slot's choice after resolution: the block and all its parameters, defaults filled in.
struct BlockChoice {
    std::string id;  ///< "grc"
    Json params;     ///< every parameter of the descriptor
};

/// One sublayer of one layer, fully decided.
struct ResolvedSublayer {
    std::string name;                          ///< "self" | "cross" | "ffn" | "star" | "lstm"
    std::string path;                          ///< "encoder.layers.3.self"
    std::map<std::string, BlockChoice> slots;  ///< those of sublayerSlots(name)
};

struct ResolvedLayer {
    std::vector<ResolvedSublayer> sublayers;
};

/// A variant with nothing left to decide: what the builder, the count and the diff read.
struct ResolvedVariant {
    std::string topology;  ///< "encdec" | "encoder" | "decoder" | "bilstm"
    Dims dims;
    std::map<std::string, BlockChoice> globals;       ///< "embed", "position", "head", "init"
    std::vector<ResolvedLayer> encoder, decoder;      ///< empty: the topology has no such stack; one layer when it is shared
    std::map<std::string, BlockChoice> stackSlots;    ///< "encoder.share", "encoder.h0", "decoder.share", …
    bool finalNormEnc = false, finalNormDec = false;  ///< LayerNorm after the last layer (norm.final)
    BlockChoice finalNorm;                            ///< the norm block used there
};

/// A variant as written by a user: plain JSON data (design section 3), validated, presets expanded on demand.
/// Value type; every member function is const and thread-safe.
class VariantSpec {
public:
    /// Checks structure, slots, parameters and block checks; throws Error listing every problem with path and "did you mean".
    static VariantSpec parse(const Json& document, const Catalogue& catalogue);
    /// As above, but appends what is wrong instead of throwing; the result is usable only if nothing was appended.
    static VariantSpec parse(const Json& document, const Catalogue& catalogue, std::vector<Problem>& problems);

    const Json& document() const { return document_; }  ///< as written
    const Json& compact() const { return compact_; }    ///< preset expanded, defaults removed
    std::string hash() const;                           ///< "variant_hash": SHA-256 of canonical compact form
    /// With the sizes found in the data (0: not known); one that is not the stated one throws. Classes that nobody states or
    /// found are taken to be 2.
    ResolvedVariant resolve(std::int64_t vocabSrc = 0, std::int64_t vocabTgt = 0, std::int64_t classes = 0) const;
    /// dims.classes as stated; nothing where the data decide.
    std::optional<std::int64_t> statedClasses() const;
    /// One entry per module path, JSON: {"encoder.layers.0.self.residual":{"kind":"grc",…},…}. For diff and display.
    Json resolvedTree() const;

private:
    Json document_, compact_;
    const Catalogue* catalogue_ = nullptr;
};

/// Schema of the variant's own (non-block) members; `--help` and the composer read it.
const FieldSchema& variantSchema();

/// Names of the presets in the resources folder.
std::vector<std::string> presetNames();
/// The preset that a name means: the one called so, or the one with "grc" for the name's "gru", as Tables 1, 2 and section 3.2
/// of the EAU/GRC paper call that unit (variants.md E7); nothing if there is none.
std::optional<std::string> findPreset(const std::string& name);
Json presetDocument(const std::string& name);  ///< throws Error with a suggestion
/// A variant document whose preset states sizes that the data of a run decide (vocabularies, classes): they become "from_data",
/// unless the document itself states them. A preset's own numbers are those of its paper's data.
Json withSizesFromData(Json variant);

}  // namespace heddle
