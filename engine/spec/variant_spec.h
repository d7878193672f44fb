// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/catalogue.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A slot's choice after resolution: the block and all its parameters, defaults filled in.
struct BlockChoice {
    std::string id;  ///< "grc"
    Json params;     ///< every parameter of the descriptor
    bool operator==(const BlockChoice&) const = default;
};

/// True for the block of a slot that does nothing there.
inline bool holdsNothing(const BlockChoice& choice) { return choice.id == kNoBlock; }

/// One fully resolved sublayer of a layer.
struct ResolvedSublayer {
    std::string name;                          ///< "self" | "cross" | "ffn" | "ffn2" | "star" | "lstm"
    std::string path;                          ///< "encoder.layers.3.self"
    std::map<std::string, BlockChoice> slots;  ///< those of sublayerSlots(name)
};

struct ResolvedLayer {
    std::vector<ResolvedSublayer> sublayers;
};

/// A fully resolved variant: the input of the builder, the count and the diff.
struct ResolvedVariant {
    Topology topology = Topology::EncoderDecoder;
    Dims dims;
    std::map<std::string, BlockChoice> globals;     ///< "embed", "position", "head", "init"
    std::vector<ResolvedLayer> encoder, decoder;    ///< empty: no such stack; one layer if shared
    std::map<std::string, BlockChoice> stackSlots;  ///< "encoder.share", "encoder.h0", "decoder.share", …
    bool hasFinalNorm = false;                      ///< whether a norm follows the last layer of each stack (norm.final)
    BlockChoice finalNorm;                          ///< the norm block used there
};

/// The layers of a stack, "encoder" or "decoder".
const std::vector<ResolvedLayer>& layersOf(const ResolvedVariant& variant, const std::string& stack);
/// The sublayers of all layers, in the order of evaluation.
std::vector<const ResolvedSublayer*> sublayersOf(const ResolvedVariant& variant);

/// The patches of images that the variant embeds; nothing: it embeds tokens.
std::optional<PatchForm> patchesOf(const ResolvedVariant& variant);

/// Path of the slot's block in an earlier sublayer of the layer with the same choice; empty: none.
std::string earlierTwin(const ResolvedLayer& layer, const ResolvedSublayer& sublayer, const std::string& slot);

/// Path of the slot's block in the first of these layers whose sublayer of that name has the same choice; empty: this one.
std::string firstInStack(const std::vector<ResolvedLayer>& layers, const ResolvedSublayer& sublayer, const std::string& slot);

using BlockVisitor =
    std::function<void(const std::string& path, const std::string& slot, const BlockChoice& choice, const BlockContext& where)>;

/// Visits every block in model order: embedding, position, each layer's sublayers, the final norms, head, init.
void forEachBlock(const ResolvedVariant& variant, const BlockVisitor& visit);

/// Sublayers of a stack, in all its layers.
std::int64_t sublayerCount(const std::vector<ResolvedLayer>& layers);

/// How often a forward pass applies each layer of this stack: more than once if the layers share their weights.
std::int64_t passesOf(const ResolvedVariant& variant, const std::string& stack);

/// Where the norm of a sublayer stands; nothing for a sublayer without one.
std::optional<NormPlace> normPlaceOf(const ResolvedSublayer& sublayer);

/// The order in which the slots of a sublayer are evaluated (variants.md, section 0).
struct EvaluationOrder {
    std::vector<std::string> before, after;  ///< slots before the mixer and after it; a norm may be in both
    /// The slots of the mixer itself. An adjuster before the output projection follows the value.
    std::vector<std::string> mixer;
};
EvaluationOrder evaluationOrder(const ResolvedSublayer& sublayer);

/// Same sublayers with the same blocks and parameters.
bool sameLayer(const ResolvedLayer& a, const ResolvedLayer& b);

/// The tap "<sublayer path>.weight" of every attention: its weights after the softmax, before dropout.
inline constexpr const char* kAttentionWeight = "weight";

/// One thing that a variant shows: the tap "<module>.<exposure.id>".
struct ModuleExposure {
    std::string module;    ///< "encoder.layers.0.self", "encoder.layers.0.self.residual", "encoder.share"
    std::string sublayer;  ///< path of the sublayer it belongs to; empty for a stack's own
    Exposure exposure;

    std::string path() const { return module + "." + exposure.id; }
};

/// Everything that the sublayers of a variant, their blocks and its stacks show.
std::vector<ModuleExposure> exposuresOf(const ResolvedVariant& variant);

/// A valid variant: every slot's block with all its parameters, and the sizes that the user stated. parse() reads it from
/// a JSON document (design section 3), compact() writes one. Value type; every member function is const and thread-safe.
class VariantSpec {
public:
    /// Expands the preset; checks structure, slots, parameters and block checks; throws Error listing every problem with path
    /// and "did you mean".
    static VariantSpec parse(const Json& document, const Catalogue& catalogue);
    /// As above, but appends problems instead of throwing; the result is usable only if there are none.
    static VariantSpec parse(const Json& document, const Catalogue& catalogue, std::vector<Problem>& problems);

    /// True for a VariantSpec that was not parsed: a run whose data alone are of interest has no model.
    bool isEmpty() const { return !resolved_; }
    Json compact() const;      ///< preset expanded, defaults removed; equal for all documents of the same meaning
    std::string hash() const;  ///< "variant_hash": SHA-256 of canonical compact form
    /// The variant with the sizes found in the data (0: unknown); throws if one differs from a stated size. Unknown classes
    /// default to 2.
    ResolvedVariant resolve(std::int64_t vocabSrc = 0, std::int64_t vocabTgt = 0, std::int64_t classes = 0) const;
    /// dims.classes as stated; nothing if the data decide.
    std::optional<std::int64_t> statedClasses() const;
    /// By module path: {"encoder.layers.0.self.score":{"kind":"dot",…}}; by stack: {"encoder.sublayers":["self","ffn"]}.
    Json resolvedTree() const;

private:
    std::shared_ptr<const ResolvedVariant> resolved_;  ///< sizes that the data decide are 0; null: no variant
    const Catalogue* catalogue_ = nullptr;
};

/// Schema of the variant's own (non-block) members; `--help` and the composer read it.
const FieldSchema& variantSchema();

/// Names of the presets in the resources folder.
std::vector<std::string> presetNames();
/// The preset of that name, or with "grc" in place of "gru", which is the unit's name in Tables 1, 2 and section 3.2 of the
/// EAU/GRC paper (variants.md E7); nothing if there is none.
std::optional<std::string> findPreset(const std::string& name);
Json presetDocument(const std::string& name);  ///< throws Error with a suggestion
/// Replaces a preset's vocabulary sizes and classes, which belong to its paper's data, by "from_data", unless the document
/// states them.
Json withSizesFromData(Json variant);

}  // namespace heddle
