// SPDX-License-Identifier: Apache-2.0
// Sliding-window attention (Beltagy et al. 2020, section 3.1; Jiang et al. 2023, section 2): a query sees the w nearest keys,
//   past: visible(q, k) = q − w < k ≤ q          both: visible(q, k) = |q − k| < w and k is a token
// and, whatever their distance, the first n keys as attention sinks (Xiao et al. 2024, section 3.2): k < n is visible, too.
// Padding at the end of a sequence is after every token, so past hides it as well. See engine/blocks/mask/key_mask.h.
#include "engine/blocks/mask/key_mask.h"

namespace heddle {

enum class WindowSide { Past, Both };
template <>
struct ChoiceWords<WindowSide> {
    static constexpr ChoiceWord<WindowSide> kAll[] = {{"past", WindowSide::Past}, {"both", WindowSide::Both}};
};

namespace {

struct SlidingMaskOptions {
    std::int64_t window = 0;
    WindowSide side{};
    std::int64_t sinks = 0;
};

const OptionFields<SlidingMaskOptions>& slidingMaskOptions() {
    static const auto kFields =
        OptionFields<SlidingMaskOptions>()
            .add(&SlidingMaskOptions::window,
                 fields::integer("window", 128, {1, 1 << 20},
                                 "Width w of the window in keys, with the query's own; a window of at least the sequence's "
                                 "length hides nothing by distance."))
            .add(&SlidingMaskOptions::side,
                 fields::choice<WindowSide>("side",
                                            "The keys up to the query (past, as in Mistral 7B) or those on both sides of it "
                                            "(both, as in Longformer: w − 1 keys before and w − 1 after)."))
            .add(&SlidingMaskOptions::sinks,
                 fields::integer(
                     "sinks", 0, {0, 1 << 20},
                     "Number of first keys that stay visible beyond the window, attention sinks; StreamingLLM keeps 4."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeSlidingMask() {
    BlockDescriptor b = describeMask({});
    b.title = "Sliding-window mask";
    b.summary =
        "Sliding-window attention (Beltagy et al. 2020; Jiang et al. 2023): hides every key that is a window or more away from "
        "the query.";
    b.formulaOf = slidingMaskOptions().reading([](const SlidingMaskOptions& o) -> std::string {
        return o.side == WindowSide::Past ? "visible(q, k) = q − w < k ≤ q" : "visible(q, k) = |q − k| < w and k is a token";
    });
    b.shapes = "visible [S,S], with side both [B,1,S,S]; w a number of keys";
    b.reference =
        "Beltagy et al. 2020 (Longformer, arXiv 2004.05150), section 3.1; Jiang et al. 2023 (Mistral 7B, arXiv 2310.06825), "
        "section 2; Xiao et al. 2024 (StreamingLLM, arXiv 2309.17453), section 3.2, for the sinks";
    b.reading =
        "Reading. Longformer gives the width of both sides together: its window of 512 is `window` 257 with side `both`. "
        "Mistral 7B's text lets position i attend to the positions from i − W to i; here a window has W keys, the query's own "
        "among them, as in the rotating cache of the authors' code; the mask that their reference applies to a whole prompt "
        "shows i − W too. Longformer's global tokens and dilation are left out. StreamingLLM numbers the kept keys by their "
        "place in the cache; here they keep their positions. The window masks the scores of all keys, so "
        "time and memory remain quadratic in the length.";
    b.parameters = slidingMaskOptions().schema();
    b.seesOf = slidingMaskOptions().reading(
        [](const SlidingMaskOptions& o) { return o.side == WindowSide::Past ? VisibleKeys::UpToQuery : VisibleKeys::All; });
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.sublayer != SublayerName::Cross) return std::nullopt;
        return Problem{"", "cross-attention has no distance between queries and keys", "use padding or none"};
    };
    return b;
}

#else

std::unique_ptr<Block> makeSlidingMask(const BuildContext& context) {
    const auto o = slidingMaskOptions().read(context.params);
    const bool isPast = o.side == WindowSide::Past;
    return makeMask({.padding = !isPast, .future = isPast, .window = o.window, .sinks = o.sinks});
}

#endif

}  // namespace heddle
