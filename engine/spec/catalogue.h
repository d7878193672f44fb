// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"
#include "engine/spec/places.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// Sizes of a model after derivation (key_dim = d/heads and so on). All are counts of elements.
struct Dims {
    std::int64_t d = 512, f = 2048, heads = 8, keyDim = 64, valueDim = 64;
    std::int64_t layersEnc = 6, layersDec = 6, maxLen = 128;
    std::int64_t vocabSrc = 0, vocabTgt = 0;  ///< 0: from_data, not known yet; equal where there is one stack
    std::int64_t classes = 2;                 ///< outputs of a classifying head
    std::int64_t tokenTypes = 0;              ///< 0: no embedding of token types
    std::int64_t kvHeads = 0;                 ///< heads of keys and values; 0: as many as heads
    /// Sizes of the base model, whose rates and start transfer to this width (μP); baseD 0: none, and the others are 0.
    std::int64_t baseD = 0, baseF = 0, baseHeads = 0;

    std::int64_t keyHeads() const { return kvHeads > 0 ? kvHeads : heads; }
    /// The sizes of the base model; without one, these.
    Dims base() const;
    /// The width, or that of a head's keys, divided by that of the base model.
    double widthRatio() const { return baseD > 0 ? static_cast<double>(d) / static_cast<double>(baseD) : 1; }
    double keyRatio() const { return static_cast<double>(keyDim) / static_cast<double>(base().keyDim); }
};

/// The place of a block in the model; input of its formulas and checks.
struct BlockContext {
    Dims dims;
    std::optional<StackName> stack;        ///< nothing: embedding, position, head
    std::optional<SublayerName> sublayer;  ///< nothing: outside of the layers
    std::int64_t layer = 0;                ///< 0-based
    std::int64_t sequence = 0;             ///< sequence length for FLOPs; 0: dims.maxLen
    Topology topology = Topology::EncoderDecoder;
    std::int64_t width = 0;      ///< of the stream that the block reads; 0: dims.d
    std::int64_t passes = 1;     ///< how often a forward pass applies the block: more than once if layers share weights
    std::string twin;            ///< path of the same block in an earlier sublayer of the layer, which may share with it
    std::string firstOfStack;    ///< path of the same block in the first layer that has it; empty: this is the first
    std::int64_t before = 0;     ///< earlier sublayers of the stack with the same block in slot residual
    std::int64_t sublayers = 0;  ///< of the stack, in all its layers

    std::int64_t sequenceLength() const { return sequence > 0 ? sequence : dims.maxLen; }
};

/// A value that a block exposes (design section 3). Views draw by quantity and axes, never by a block's name.
struct Exposure {
    enum class Quantity { Weight, Score, UnitGate, SignedGate, Delta, Scalar };
    std::string id;     ///< "gate"; the tap's path is "<module path>.<id>"
    std::string title;  ///< "GRC gate g"
    Quantity quantity = Quantity::Scalar;
    std::string axes;  ///< "BHQK", "BSD", …
    double low = 0, high = 1;
    bool histogram = true, map = false, clampable = false;

    bool isGate() const { return quantity == Quantity::UnitGate || quantity == Quantity::SignedGate; }
};

/// The id, in every slot that may be empty, of the block that does nothing there.
inline constexpr const char* kNoBlock = "none";

/// Which keys of its own sequence a query can see.
enum class VisibleKeys { All, UpToQuery, BeforeQuery };

/// The blocks beside a block in its sublayer, by what they say of themselves.
struct Neighbours {
    VisibleKeys sees = VisibleKeys::All;  ///< through mask and scorer together
    std::string seesBy;                   ///< the one of them that hides the most: "mask \"causal\""; empty: neither hides any
    std::string unprojected;              ///< id of the value, if it has no output projection; else empty
    bool hasDirect = false;               ///< a direct path from the stack's input
    bool isPreNorm = false;               ///< a norm stands before the mixer
    bool isPostNorm = false;              ///< a norm stands after the residual connection
};

/// How often a stack that iterates its layer evaluates it.
struct LayerPasses {
    std::int64_t most = 1;      ///< evaluations of a forward pass, at most
    std::int64_t backward = 2;  ///< FLOPs of the backward pass ÷ those of one evaluation
};

/// Patches of images, as an embedding reads them.
struct PatchForm {
    std::int64_t size = 0, channels = 0;  ///< a patch has size² · channels numbers
    bool hasClassToken = false;           ///< a learned vector stands in front of them
    std::int64_t numbers() const { return size * size * channels; }
};

/// What a residual block reads of earlier layers beside the stream.
enum class DepthReading {
    None,
    Sums,     ///< the stack's input and the sums r + s of earlier sublayers with the same block
    Outputs,  ///< the stack's input and the outputs of all earlier sublayers, in place of the stream
    Input,    ///< the stack's input, which the sublayer reads beside the stream
    Entries,  ///< the streams before earlier sublayers with the same block
};

/// What the outputs of a head are.
enum class HeadOutputs { None, Words, Class, Number, Tags, Span };

/// The static description of a block, exported by the block's file. Composer, CLI, validation, cost, storage and the reference
/// manual read nothing else.
struct BlockDescriptor {
    std::string slot;     ///< "residual"
    std::string id;       ///< "grc"; stable, stored in databases; kNoBlock where the block does nothing
    std::string title;    ///< "Gated residual connection"
    std::string summary;  ///< one sentence
    std::string formula;  ///< Unicode, with the default options: "y = r + σ(W_g r + b_g) ⊙ s"
    /// The formula with these options, of which every one is given; empty: `formula`, whatever the options. See formulaWith().
    std::function<std::string(const Json&)> formulaOf;
    std::string shapes;     ///< of the formula's letters, "r, s, y [B,S,D]; W_g [D,D]"
    std::string reference;  ///< paper and equation, "EAU/GRC eq. 5–6"
    std::string reading;    ///< Heddle's choice where the paper is ambiguous or not followed; may be empty
    std::vector<FieldSchema> parameters;
    std::function<std::int64_t(const BlockContext&, const Json&)> parameterCount;
    std::function<double(const BlockContext&, const Json&)> flopsPerToken;          ///< forward, multiply-add = 2
    std::function<std::optional<Problem>(const BlockContext&, const Json&)> check;  ///< may be empty
    std::function<std::int64_t(const BlockContext&, const Json&)>
        longestSequence;  ///< maximum sequence length; empty: dims.maxLen
    /// Parameter values, by path below the module, that make the block ineffective; empty: none.
    std::vector<std::pair<std::string, double>> neutral;
    bool usesVocabulary = false;  ///< its count needs the sizes of the vocabularies
    /// Parameters, by path below the module, with one row for every class of the data.
    std::vector<std::string> classRows;
    std::vector<Exposure> exposures;

    // What rules and other parts ask of a block, whatever its id. Each fact says for which slots it is; a block states those
    // that differ from the default.

    VisibleKeys sees = VisibleKeys::All;  ///< mask, scorer: the keys that it leaves visible within one sequence
    /// Returns what the block sees with these options; if empty, `sees` holds for all options. See seesWith().
    std::function<VisibleKeys(const Json&)> seesOf;
    /// Other blocks than masks: whether, with these options, attention from a sequence to itself learns of keys after the
    /// query; empty: never.
    std::function<bool(const Json&)> showsFuture;
    /// Whether, with these options, the block reads positions that the mask hides, or knows them by their place in the row, so
    /// that the documents of a row cannot be kept apart (Packing::Documents); empty: never.
    std::function<bool(const Json&)> needsWholeRows;
    /// Whether, with these options, its formula depends on widths in a way that no rule of μP is known for (dims.base_d);
    /// empty: never. Matrices from a width to a fixed number of outputs are found by their sizes.
    std::function<bool(const Json&)> resistsWidthTransfer;
    bool givesWeights = false;  ///< scorer: its scores are the attention weights; no rule, normaliser or mask follows
    /// Scorer: the scores are products of a query and a key of each head alone (Scorer::product). Value: each head mixes
    /// vectors by weights of its own (Value::heads).
    bool isPerHead = false;
    bool takesRelative = false;  ///< scorer: it applies the block of slot `relative`
    bool takesKeyHeads = false;  ///< scorer, value: it has as many heads of keys or values as dims.kv_heads says
    bool changesScores = false;  ///< relative: it adds to the scores, so that they are not products of queries and keys
    /// Adjuster: where it acts with these options; empty: on the mixer's output. See adjustsAt().
    std::function<AdjusterPlace(const Json&)> placeOf;
    bool hasProjection = false;        ///< value: a linear map follows the merged heads
    bool mixesHeads = false;           ///< normaliser: the weights of a head depend on the scores of others
    bool tellsOrder = false;           ///< value: keys before a query count otherwise than those after it
    bool leavesOrderToValues = false;  ///< position: nothing but the values tells the order of the words
    bool readsInput = false;           ///< h0, direct, combine: it reads the stack's input
    bool hasMemory = false;            ///< combine: it hands a state from layer to layer beside the stream
    bool sharesWeights = false;        ///< share: the stack has the weights of one layer
    /// Residual: with these options, how many residual streams it joins the sublayer to; empty: one.
    std::function<std::int64_t(const Json&)> streams;
    DepthReading reads = DepthReading::None;  ///< residual
    /// Residual: the factor of the initial matrices of its sublayer's slots value and ffn; empty: 1.
    std::function<double(const BlockContext&, const Json&)> branchGain;
    /// Share: with these options, how often the layer is iterated until the stream stands still; empty: as often as the stack
    /// is deep.
    std::function<LayerPasses(const Json&)> iterates;
    std::function<PatchForm(const Json&)> patches;  ///< embed: the patches that it reads; empty: it reads token ids
    bool tiesOutput = false;                        ///< embed: the target's table is the head's weight too
    std::string otherTie;  ///< embed: id of the block that differs from this one in tiesOutput alone; empty: none
    HeadOutputs outputs = HeadOutputs::None;  ///< head
    /// A problem of these options with the blocks beside this one; its path is below the block. May be empty.
    std::function<std::optional<Problem>(const Neighbours&, const Json&)> fits;
    /// A note on options that are valid and say the same as others there; `next` is empty. May be empty.
    std::function<std::optional<Problem>(const Neighbours&, const Json&)> note;

    VisibleKeys seesWith(const Json& options) const { return seesOf ? seesOf(options) : sees; }
    AdjusterPlace adjustsAt(const Json& options) const { return placeOf ? placeOf(options) : AdjusterPlace::AttentionOutput; }
    std::string formulaWith(const Json& options) const { return formulaOf ? formulaOf(options) : formula; }
};

/// The schema of a block's parameters as one object.
FieldSchema parameterSchema(const BlockDescriptor& block);

/// All blocks of a program, by slot. Built once from the list in engine/blocks/catalogue.cpp and passed as a parameter.
/// Immutable, thread-safe.
class Catalogue {
public:
    explicit Catalogue(std::vector<BlockDescriptor> blocks);

    const std::vector<BlockDescriptor>& blocks() const { return blocks_; }
    std::vector<std::string> slots() const;  ///< in order of first appearance
    std::vector<const BlockDescriptor*> ofSlot(const std::string& slot) const;
    std::vector<std::string> idsOf(const std::string& slot) const;                      ///< of its blocks
    const BlockDescriptor* find(const std::string& slot, const std::string& id) const;  ///< null if unknown
    const BlockDescriptor& at(const std::string& slot, const std::string& id) const;    ///< throws Error with a suggestion

private:
    std::vector<BlockDescriptor> blocks_;
};

/// The catalogue of this build (defined in engine/blocks/catalogue.cpp, compiled without torch).
const Catalogue& builtinCatalogue();

/// The formula of a block when one option has another value than its default.
struct FormulaCase {
    std::string option;  ///< its key
    Json value;
    std::string formula;
};

/// "bias false", "gate_input norm_r"; "gate" where an object is there.
std::string optionText(const FormulaCase& of);

/// Every value of a choice, a flag or an optional object that changes the block's formula, in the order of its parameters.
std::vector<FormulaCase> otherFormulas(const BlockDescriptor& block);

}  // namespace heddle
