// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/mask/key_mask.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeMask(MaskForm form) {
    BlockDescriptor b = blockWithoutCost();
    b.sees = form.future ? VisibleKeys::UpToQuery : VisibleKeys::All;
    if (form.future) {
        b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
            if (where.sublayer != SublayerName::Cross) return std::nullopt;
            return Problem{"", "cross-attention has no order between queries and keys", "use padding or none"};
        };
    }
    return b;
}

#else

namespace {

class FormedMask final : public Mask {
public:
    explicit FormedMask(MaskForm form) : form_(form) {}
    bool hidesPadding() const override { return form_.padding; }
    bool hidesFuture() const override { return form_.future; }
    std::int64_t window() const override { return form_.window; }
    std::int64_t sinks() const override { return form_.sinks; }

private:
    MaskForm form_;
};

}  // namespace

std::unique_ptr<Block> makeMask(MaskForm form) { return std::make_unique<FormedMask>(form); }

#endif

}  // namespace heddle
