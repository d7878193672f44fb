// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/position/sinusoid_table.h"

#include "engine/blocks/fusing.h"
#include "engine/blocks/incremental.h"
#include "engine/blocks/position/position_options.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/embedding.h"

namespace heddle {

namespace {

/// Component `column` of the vector of width d at `position`.
double sinusoidAt(const Sinusoid& form, std::int64_t position, std::int64_t column, std::int64_t d) {
    const bool halves = form.layout == Sinusoid::Layout::Halves;
    const std::int64_t i = halves ? column % (d / 2) : column / 2;
    const bool sine = halves ? column < d / 2 : column % 2 == 0;
    const double angle =
        static_cast<double>(position) / std::pow(10000.0, form.exponent * static_cast<double>(i) / static_cast<double>(d));
    return sine ? std::sin(angle) : std::cos(angle);
}

/// Rows first … first+count-1, float64 on the CPU.
at::Tensor rows(const Sinusoid& form, std::int64_t first, std::int64_t count, std::int64_t d) {
    at::Tensor table = at::empty({count, d}, at::kDouble);
    double* out = table.data_ptr<double>();
    for (std::int64_t p = first; p < first + count; ++p) {
        for (std::int64_t column = 0; column < d; ++column) *out++ = sinusoidAt(form, p, column, d);
    }
    return table;
}

class SinusoidPosition final : public Position, public IncrementalPosition, public AddedPosition {
public:
    SinusoidPosition(const BuildContext& c, const PositionOptions& o, const Sinusoid& form)
        : form_(form), where_(o.where), table_SD_(c.scope.declareBuffer(rows(form, 0, c.where.dims.maxLen, c.where.dims.d))) {}

    Where where() const override { return where_; }

    at::Tensor add(const at::Tensor& x_BSD, std::int64_t first) const override {
        return x_BSD + added_SD(first, x_BSD.size(1));
    }

    at::Tensor added_SD(std::int64_t first, std::int64_t count) const override {
        if (first + count <= table_SD_.size(0)) return table_SD_.narrow(0, first, count);
        return rows(form_, first, count, table_SD_.size(1)).to(table_SD_.options());  // beyond max_len: rare, so not cached
    }

    at::Tensor addAt(const at::Tensor& x_BSD, const at::Tensor& positions) const override {
        return x_BSD + embeddedRows(table_SD_, positions);
    }

private:
    Sinusoid form_;
    Where where_;
    at::Tensor table_SD_;
};

}  // namespace

std::unique_ptr<Block> makeSinusoid(const BuildContext& context, const Sinusoid& form) {
    return std::make_unique<SinusoidPosition>(context, positionOptions().read(context.params), form);
}

}  // namespace heddle

#endif
