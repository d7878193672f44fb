// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_resolve.h"
#include "engine/spec/variant_schema.h"

#include <set>

namespace heddle {

FieldSchema parameterSchema(const BlockDescriptor& block) {
    FieldSchema schema;
    schema.type = FieldSchema::Type::Object;
    schema.fields = block.parameters;
    return schema;
}

std::int64_t passesOf(const ResolvedVariant& variant, const std::string& stack) {
    const BlockChoice& choice = variant.stackSlots.at(childPath(stack, "share"));
    const BlockDescriptor& share = builtinCatalogue().at("share", choice.id);
    if (!share.sharesWeights) return 1;
    if (share.iterates) return share.iterates(choice.params).most;
    return stack == "encoder" ? variant.dims.layersEnc : variant.dims.layersDec;
}

std::string earlierTwin(const ResolvedLayer& layer, const ResolvedSublayer& sublayer, const std::string& slot) {
    const auto own = sublayer.slots.find(slot);
    for (const ResolvedSublayer& earlier : layer.sublayers) {
        if (earlier.path == sublayer.path) break;
        const auto other = earlier.slots.find(slot);
        if (own != sublayer.slots.end() && other != earlier.slots.end() && own->second == other->second)
            return childPath(earlier.path, slot);
    }
    return "";
}

void forEachBlock(const ResolvedVariant& variant, const BlockVisitor& visit) {
    BlockContext where;
    where.dims = variant.dims;
    where.topology = choiceNamed<Topology>(variant.topology).value();
    const BlockContext outside = where;
    const auto global = [&](const std::string& slot) { visit(slot, slot, variant.globals.at(slot), where); };
    const auto stack = [&](const std::string& name) {
        const std::vector<ResolvedLayer>& layers = layersOf(variant, name);
        where.stack = choiceNamed<StackName>(name);
        if (!layers.empty())
            for (const auto& slot : stackSlots())
                visit(childPath(name, slot), slot, variant.stackSlots.at(childPath(name, slot)), where);
        if (!layers.empty()) where.passes = passesOf(variant, name);
        for (std::size_t i = 0; i < layers.size(); ++i) {
            where.layer = static_cast<std::int64_t>(i);
            for (const auto& sublayer : layers[i].sublayers) {
                where.sublayer = choiceNamed<SublayerName>(sublayer.name);
                for (const auto& slot : sublayerSlots(sublayer.name)) {
                    where.twin = earlierTwin(layers[i], sublayer, slot);
                    visit(childPath(sublayer.path, slot), slot, sublayer.slots.at(slot), where);
                }
            }
        }
        where = outside;
        where.stack = choiceNamed<StackName>(name);
        if (variant.hasFinalNorm && !layers.empty()) visit(name + ".norm", "norm", variant.finalNorm, where);
        where = outside;
    };
    global("embed");
    global("position");
    stack("encoder");
    stack("decoder");
    if (variant.topology == "bilstm") where.width = 2 * variant.dims.d;  // both directions concatenated
    global("head");
    where = outside;
    global("init");
}

void checkBlocks(const ResolvedVariant& variant, const Catalogue& catalogue, std::vector<Problem>& problems) {
    std::set<std::string> seen;  // `what` and `next` of problems reported so far
    forEachBlock(variant, [&](const auto& path, const auto& slot, const BlockChoice& choice, const BlockContext& where) {
        const auto& block = catalogue.at(slot, choice.id);
        if (!block.check) return;
        const auto problem = block.check(where, choice.params);
        if (!problem || !seen.insert(slot + problem->what + problem->next).second) return;
        problems.push_back({problem->path.empty() ? path : childPath(path, problem->path), problem->what, problem->next});
    });
}

}  // namespace heddle
