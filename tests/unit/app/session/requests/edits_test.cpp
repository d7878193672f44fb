// SPDX-License-Identifier: Apache-2.0
// Edits with texts that are too long are refused, whoever makes them.
#include "app/session/requests/edits.h"

#include "engine/base/error.h"
#include "engine/base/text_limits.h"

#include <gtest/gtest.h>

namespace heddle::app {
namespace {

constexpr const char* kEditedRun = "0123456789ab";

std::string text(std::size_t characters) { return std::string(characters, 'x'); }

TEST(RequestLimits, TextsUpToTheLimitPass) {
    EXPECT_NO_THROW(requireShortTexts(RenameRun{kEditedRun, text(kMaxNameCharacters)}));
    EXPECT_NO_THROW(requireShortTexts(AnnotateRun{kEditedRun, text(kMaxNoteBytes)}));
    EXPECT_NO_THROW(requireShortTexts(TagRun{kEditedRun, {"paper", text(kMaxTagCharacters)}, {}}));
    EXPECT_NO_THROW(requireShortTexts(PutItem{"variant", "mine", text(1000)}));
    EXPECT_NO_THROW(requireShortTexts(DeleteRun{kEditedRun}));
}

TEST(RequestLimits, LongerTextsAreRefused) {
    EXPECT_THROW(requireShortTexts(RenameRun{kEditedRun, text(kMaxNameCharacters + 1)}), Error);
    EXPECT_THROW(requireShortTexts(AnnotateRun{kEditedRun, text(kMaxNoteBytes + 1)}), Error);
    EXPECT_THROW(requireShortTexts(TagRun{kEditedRun, {"paper", text(kMaxTagCharacters + 1)}, {}}), Error);
    EXPECT_THROW(requireShortTexts(TagRun{kEditedRun, {}, {text(kMaxTagCharacters + 1)}}), Error);
    EXPECT_THROW(requireShortTexts(TagRun{kEditedRun, {}, std::vector<std::string>(kMaxTags + 1, "x")}), Error);
    EXPECT_THROW(requireShortTexts(PutItem{text(kMaxNameCharacters + 1), "mine", 1}), Error);
    EXPECT_THROW(requireShortTexts(RemoveItem{"k", text(kMaxNameCharacters + 1)}), Error);
    EXPECT_THROW(requireShortTexts(PutItem{"k", "k", text(kMaxSpecBytes)}), Error);
}

}  // namespace
}  // namespace heddle::app
