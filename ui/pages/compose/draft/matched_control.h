// SPDX-License-Identifier: GPL-3.0-or-later
// The control of an experiment: the same experiment with the baseline's variant, made as large as the variant examined.
#pragma once

#include "ui/pages/compose/draft/draft_facts.h"

#include <QString>

#include <optional>

namespace heddle::ui {

/// The experiment of the draft - its data, its budget of epochs or steps, its seed, what it records - with the baseline's
/// variant. Both are run documents.
Json controlDocument(const Json& draft, const Json& baseline);

struct MatchedControl {
    Json document;
    std::int64_t width = 0, parameters = 0;
};

/// A matched control and the words that name it after its draft and baseline.
struct NamedControl {
    MatchedControl control;
    QString name, baseline;  ///< "eau-base-f640", "eau-base"
    QString difference;      ///< "exactly as many parameters as eau-full"
};

/// `control` with the feed-forward width whose number of parameters comes nearest to `wanted`; nothing where no width does.
/// For any thread.
std::optional<MatchedControl> matchedControl(const Json& control, std::int64_t wanted, const AssumedVocabulary& assumed);

}  // namespace heddle::ui
