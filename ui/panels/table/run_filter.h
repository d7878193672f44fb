// SPDX-License-Identifier: GPL-3.0-or-later
// The filter language of run tables. A run must fit every word.
//   eau s3           text in the name, id, seed, tags, state, variant hash or specification
//   name:eau tag:x state:completed seed:3 variant:5098   (state and variant: the beginning is enough)
//   tag:lr<=0.01 tag:arm=b           values of tags that are written lr=0.01 or arm:b
//   dims.d=128 train.lr<0.01 valid.loss<=1.9 adjuster.kind!=eau "two words"
// A path may leave out its beginning and layers: "adjuster.kind=eau" fits when any path that ends so has the value.
#pragma once

#include "ui/data/run_facts.h"

#include <QString>

#include <functional>
#include <vector>

namespace heddle::ui {

struct FilterError {
    int position = 0, length = 0;  ///< of the word that is wrong
    QString what;                  ///< for people: There is no key “nme”
    QString suggestion;            ///< the whole line with the word put right, or empty
};

class RunFilter {
public:
    /// Reads `line`; `table` has the paths and metrics. No run fits an erroneous filter.
    static RunFilter parse(const QString& line, const RunTable& table);

    const std::optional<FilterError>& error() const { return error_; }
    bool fits(const RunFacts& run) const;

private:
    using Term = std::function<bool(const RunFacts&)>;
    std::vector<Term> terms_;
    std::optional<FilterError> error_;
    friend class FilterParser;
};

}  // namespace heddle::ui
