// SPDX-License-Identifier: Apache-2.0
// Requests with texts that are too long are refused, whoever makes them.
#include "app/session/request_limits.h"

#include "engine/spec/error.h"
#include "engine/spec/json.h"
#include "engine/spec/text_limits.h"

#include <gtest/gtest.h>

namespace heddle::app {
namespace {

void check(const std::string& verb, const Json& body) { requireShortTexts({0, verb, "0123456789ab", body.dump()}); }
std::string text(std::size_t characters) { return std::string(characters, 'x'); }

TEST(RequestLimits, TextsUpToTheLimitPass) {
    EXPECT_NO_THROW(check("rename", {{"name", text(kMaxNameCharacters)}}));
    EXPECT_NO_THROW(check("note", {{"text", text(kMaxNoteBytes)}}));
    EXPECT_NO_THROW(check("tag", {{"tags", {"paper", text(kMaxTagCharacters)}}}));
    EXPECT_NO_THROW(check("tag", {{"add", {text(kMaxTagCharacters)}}, {"remove", Json::array()}}));
    EXPECT_NO_THROW(check("put_item", {{"kind", "variant"}, {"key", "mine"}, {"body", text(1000)}}));
    EXPECT_NO_THROW(requireShortTexts({0, "delete", "0123456789ab", ""}));
}

TEST(RequestLimits, LongerTextsAreRefused) {
    EXPECT_THROW(check("rename", {{"name", text(kMaxNameCharacters + 1)}}), Error);
    EXPECT_THROW(check("note", {{"text", text(kMaxNoteBytes + 1)}}), Error);
    EXPECT_THROW(check("tag", {{"tags", {"paper", text(kMaxTagCharacters + 1)}}}), Error);
    EXPECT_THROW(check("tag", {{"add", {text(kMaxTagCharacters + 1)}}}), Error);
    EXPECT_THROW(check("tag", {{"tags", std::vector<std::string>(kMaxTags + 1, "x")}}), Error);
    EXPECT_THROW(check("put_item", {{"kind", text(kMaxNameCharacters + 1)}, {"key", "mine"}, {"body", 1}}), Error);
    EXPECT_THROW(check("put_item", {{"kind", "k"}, {"key", "k"}, {"body", text(kMaxSpecBytes)}}), Error);
}

}  // namespace
}  // namespace heddle::app
