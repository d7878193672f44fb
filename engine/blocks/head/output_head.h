// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// Width of the head's input.
inline std::int64_t streamWidth(const BlockContext& where) { return where.width > 0 ? where.width : where.dims.d; }

#ifdef HEDDLE_MODULES
/// The factor of the output weights of μP, applied to their input: the base model's width ÷ the width (Yang et al. 2022, table
/// 8); 1 without a base model.
class OutputFactor {
public:
    explicit OutputFactor(const Dims& dims) : factor_(1 / dims.widthRatio()) {}
    at::Tensor operator()(const at::Tensor& hidden) const { return isOne() ? hidden : hidden * factor_; }
    bool isOne() const { return factor_ == 1; }

private:
    double factor_;
};
#endif

/// The form of a head whose outputs are not a vocabulary.
struct OutputForm {
    enum class Reads { Sequence, Position } reads = Reads::Sequence;  ///< one vector per sequence, or every position
    std::int64_t outputs = 0;                                         ///< 0: dims.classes
};

#ifdef HEDDLE_MODULES
std::unique_ptr<Block> makeOutputHead(const BuildContext& context, OutputForm form);
#else
/// The common part of the descriptors: parameters, formula, count.
BlockDescriptor describeOutputHead(OutputForm form);
#endif

}  // namespace heddle
