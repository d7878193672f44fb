// SPDX-License-Identifier: Apache-2.0
// Learned position (Gehring et al. 2017, section 3.1; BERT): y_p = x_p + P_p; x, y [B,S,D]; P [max_len,D], one table shared by
// both stacks, so that the block has max_len·D parameters (variants.md section 5).
#include "engine/blocks/position/position_options.h"
#ifdef HEDDLE_MODULES
#include "engine/base/error.h"
#include "engine/blocks/fusing.h"
#include "engine/blocks/incremental.h"
#include "engine/kernels/embedding.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeLearnedPosition() {
    BlockDescriptor b;
    b.title = "Learned position";
    b.summary =
        "Learned absolute positions (Gehring et al. 2017): adds a learned vector for every position; all stacks share the "
        "table.";
    b.formula = "y_p = x_p + P_p";
    b.shapes = "x, y [B,S,D]; P [max_len,D]";
    b.reference = "Gehring et al. 2017 (arXiv 1705.03122); Devlin et al. 2019 (arXiv 1810.04805)";
    b.parameters = positionOptions().schema();
    b.parameterCount = [](const BlockContext& where, const Json&) { return where.dims.maxLen * where.dims.d; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

class LearnedPosition final : public Position, public IncrementalPosition, public AddedPosition {
public:
    LearnedPosition(const BuildContext& c, const PositionOptions& o)
        : path_(c.scope.path()),
          where_(o.where),
          table_SD_(c.scope.declare("weight", {c.where.dims.maxLen, c.where.dims.d}, {Initial::Kind::Embedding, 1})) {}

    Where where() const override { return where_; }

    at::Tensor add(const at::Tensor& x_BSD, std::int64_t first) const override {
        return x_BSD + added_SD(first, x_BSD.size(1));
    }

    at::Tensor added_SD(std::int64_t first, std::int64_t count) const override {
        const std::int64_t known = table_SD_.size(0);
        if (first + count > known) {
            throwInvalid("a sequence of " + std::to_string(first + count) + " positions, but only " + std::to_string(known) +
                             " were learned",
                         path_, "raise dims.max_len, or choose position sinusoid, which has no end");
        }
        return table_SD_.narrow(0, first, count);
    }

    at::Tensor addAt(const at::Tensor& x_BSD, const at::Tensor& positions) const override {
        return x_BSD + embeddedRows(table_SD_, positions);
    }

private:
    std::string path_;
    Where where_;
    at::Tensor table_SD_;
};

}  // namespace

std::unique_ptr<Block> makeLearnedPosition(const BuildContext& context) {
    return std::make_unique<LearnedPosition>(context, positionOptions().read(context.params));
}

#endif

}  // namespace heddle
