// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/matched_control.h"

#include "ui/text/number.h"

#include <optional>

namespace heddle::ui {

void findControl(const VariantDraft& draft, QObject* owner, const std::function<void(Result<NamedControl>)>& answer) {
    if (!draft.facts() || !draft.baselineFacts())
        return answer(Problem{VariantDraft::tr("No baseline is pinned."),
                              {},
                              {},
                              VariantDraft::tr("Pin a baseline first: press B in the list of presets.")});
    const std::int64_t wanted = draft.facts()->cost.parameters;
    ask(
        owner, Pool{},
        [own = draft.document(), baseline = draft.baselineDocument(), wanted, assumed = draft.assumed()] {
            return matchedControl(controlDocument(own, baseline), double(wanted), assumed);
        },
        // Another draft may be shown when the answer arrives.
        [answer, wanted, variant = draft.name(),
         baseline = draft.baselineName()](Result<std::optional<MatchedControl>> control) {
            if (!control) return answer(control.problem());
            if (!*control)
                return answer(
                    Problem{VariantDraft::tr("No feed-forward width gives %1 as many parameters as %2.").arg(baseline, variant),
                            {},
                            {},
                            {}});
            const MatchedControl& found = **control;
            const std::int64_t off = found.parameters - wanted;
            answer(NamedControl{
                found, QStringLiteral("%1-f%2").arg(baseline).arg(found.width), baseline,
                off == 0 ? VariantDraft::tr("exactly as many parameters as %1").arg(variant)
                         : VariantDraft::tr("%1 parameters compared with %2").arg(signedNumber(double(off), 0), variant)});
        });
}

}  // namespace heddle::ui
