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

void forEachBlock(const ResolvedVariant& variant, const BlockVisitor& visit) {
    BlockContext where{variant.dims, "", "", 0, 0};
    const auto global = [&](const std::string& slot) { visit(slot, slot, variant.globals.at(slot), where); };
    const auto stack = [&](const std::string& name, const std::vector<ResolvedLayer>& layers, bool finalNorm) {
        where.stack = name;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            where.layer = static_cast<std::int64_t>(i);
            for (const auto& sublayer : layers[i].sublayers) {
                where.sublayer = sublayer.name;
                for (const auto& slot : sublayerSlots(sublayer.name))
                    visit(childPath(sublayer.path, slot), slot, sublayer.slots.at(slot), where);
            }
        }
        where = {variant.dims, name, "", 0, 0};
        if (finalNorm) visit(name + ".norm", "norm", variant.finalNorm, where);
        where.stack.clear();
    };
    global("embed");
    global("position");
    stack("encoder", variant.encoder, variant.finalNormEnc);
    stack("decoder", variant.decoder, variant.finalNormDec);
    global("head");
    global("init");
}

void checkBlocks(const ResolvedVariant& variant, const Catalogue& catalogue, std::vector<Problem>& problems) {
    std::set<std::string> seen;  // what and next of problems that are the same in every layer
    forEachBlock(variant, [&](const auto& path, const auto& slot, const BlockChoice& choice, const BlockContext& where) {
        const auto& block = catalogue.at(slot, choice.id);
        if (!block.check) return;
        const auto problem = block.check(where, choice.params);
        if (!problem || !seen.insert(slot + problem->what + problem->next).second) return;
        problems.push_back({problem->path.empty() ? path : childPath(path, problem->path), problem->what, problem->next});
    });
}

}  // namespace heddle
