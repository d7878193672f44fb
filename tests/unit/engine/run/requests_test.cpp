// SPDX-License-Identifier: Apache-2.0
// What the inbox stores is a contract between versions: every request comes back as it was made, and rows that earlier versions
// wrote mean what they meant.
#include "engine/run/requests.h"

#include "engine/base/error.h"
#include "engine/base/text_limits.h"
#include "engine/spec/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kRun = "0123456789ab";

RunSpec someSpec() {
    Json document = asRunDocument(presetDocument("eau-base"));
    for (const auto* set : {"data.train.source=/nowhere/a", "data.train.target=/nowhere/b", "name=\"Übung\"", "train.steps=7"})
        applySet(document, set);
    return RunSpec::parse(document, builtinCatalogue());
}

std::vector<Edit> everyEdit() {
    return {RenameRun{kRun, "größer \"2\""},
            TagRun{kRun, {"paper", "ü"}, {"draft"}},
            AnnotateRun{kRun, "two\nlines", 1.7e9 + 1.0 / 3},
            MoveRun{kRun, -3},
            TrashRun{kRun},
            RestoreRun{kRun},
            DeleteRun{kRun},
            PutItem{"pin", "baseline", {{"variant", "x"}}},
            RemoveItem{"pin", "baseline"}};
}

std::vector<Request> everyRequest() {
    std::vector<Request> all{EnqueueRun{someSpec(), "study/größer"},
                             PauseRun{kRun},
                             ResumeRun{kRun},
                             StopRun{kRun},
                             CheckpointRun{kRun},
                             AskRun{kRun, {{"ask", "translate"}, {"text", "a"}}}};
    for (Edit& edit : everyEdit()) all.emplace_back(std::move(edit));
    return all;
}

std::string refusal(const StoredRequest& stored) {
    try {
        parseRequest(stored);
    } catch (const Error& error) {
        EXPECT_FALSE(error.next().empty()) << error.what();
        return error.problem() + " (" + error.where() + ")";
    }
    return "none";
}

TEST(Requests, EveryAlternativeComesBackAsItWasMade) {
    std::set<std::string> verbs;
    std::set<std::size_t> edits, others;
    for (const Request& request : everyRequest()) {
        const StoredRequest stored = storedRequest(request);
        EXPECT_TRUE(verbs.insert(stored.verb).second) << stored.verb << " means two requests";
        const Request read = parseRequest(stored);
        ASSERT_EQ(read.index(), request.index()) << stored.verb;
        if (const auto* edit = std::get_if<Edit>(&request)) {
            ASSERT_EQ(std::get<Edit>(read).index(), edit->index()) << stored.verb;
            edits.insert(edit->index());
        }
        others.insert(request.index());
        const StoredRequest again = storedRequest(read);
        EXPECT_THAT(again.run, stored.run);
        EXPECT_EQ(again.body, stored.body) << stored.verb;
        EXPECT_EQ(verbOf(read), stored.verb);
    }
    EXPECT_EQ(edits.size(), std::variant_size_v<Edit>) << "an alternative is missing in this test";
    EXPECT_EQ(others.size(), std::variant_size_v<Request>) << "an alternative is missing in this test";
}

TEST(Requests, AreStoredAsEarlierVersionsReadThem) {
    const auto text = [](const Request& request) {
        const auto [verb, run, body] = storedRequest(request);
        return verb + "|" + run + "|" + body;
    };
    const std::string run = kRun;
    EXPECT_EQ(text(PauseRun{run}), "pause|" + run + "|{}");
    EXPECT_EQ(text(AskRun{run, {{"ask", "step"}}}), "ask|" + run + R"(|{"ask":"step"})");
    EXPECT_EQ(text(TagRun{run, {"a"}, {}}), "tag|" + run + R"(|{"add":["a"],"remove":[]})");
    EXPECT_EQ(text(AnnotateRun{run, "good"}), "note|" + run + R"(|{"text":"good"})");
    EXPECT_EQ(text(MoveRun{run, -2}), "move|" + run + R"(|{"by":-2})");
    EXPECT_EQ(text(PutItem{"pin", "baseline", 1}), R"(put_item||{"body":1,"key":"baseline","kind":"pin"})");
    const std::string spec = canonicalJson(someSpec().toJson());
    EXPECT_EQ(text(EnqueueRun{someSpec()}), "enqueue||" + spec);
    EXPECT_EQ(text(EnqueueRun{someSpec(), "study/gates"}), R"(enqueue||{"group":"study/gates","spec":)" + spec + "}");
}

TEST(Requests, RowsOfEarlierVersionsAreRead) {
    for (const char* verb : {"pause", "resume", "stop", "checkpoint", "trash", "restore", "delete"})
        for (const char* body : {"", "{}"}) {  // the command line wrote the one, the studio the other
            const Request request = parseRequest({verb, kRun, body});
            EXPECT_EQ(verbOf(request), verb);
            EXPECT_EQ(runOf(request), kRun);
        }
    const auto edit = [](const char* verb, const char* body) { return std::get<Edit>(parseRequest({verb, kRun, body})); };
    EXPECT_EQ(std::get<RenameRun>(edit("rename", R"({"name":"other"})")).name, "other");
    const auto tags = std::get<TagRun>(edit("tag", R"({"add":["a","b"]})"));
    EXPECT_THAT(tags.add, ElementsAre("a", "b"));
    EXPECT_THAT(tags.remove, IsEmpty());
    EXPECT_THAT(std::get<TagRun>(edit("tag", R"({"remove":["a"]})")).remove, ElementsAre("a"));
    EXPECT_EQ(std::get<AnnotateRun>(edit("note", R"({"text":"good"})")).text, "good");
    EXPECT_EQ(std::get<AnnotateRun>(edit("note", R"({"text":"","replaces":1.5})")).replaces, 1.5);
    EXPECT_EQ(std::get<MoveRun>(edit("move", R"({"by":-1000000000})")).by, -1'000'000'000);
    const auto item = std::get<PutItem>(edit("put_item", R"({"kind":"pin","key":"k","body":{"order":2},"later":1})"));
    EXPECT_EQ(item.body, Json({{"order", 2}})) << "a member that a later version adds is passed over";
    EXPECT_EQ(std::get<RemoveItem>(edit("remove_item", R"({"kind":"pin","key":"k"})")).key, "k");
    EXPECT_EQ(std::get<AskRun>(parseRequest({"ask", kRun, R"({"ask":"step"})"})).question.at("ask"), "step");
    const auto spec = std::get<EnqueueRun>(parseRequest({"enqueue", "", someSpec().toJson().dump()})).spec;
    EXPECT_EQ(canonicalJson(spec.toJson()), canonicalJson(someSpec().toJson()));
}

TEST(Requests, MalformedOnesAreRefusedWithTheirPlace) {
    EXPECT_EQ(refusal({"rename", kRun, "{}"}), "the request lacks a usable \"name\" (request rename)");
    EXPECT_EQ(refusal({"rename", kRun, R"({"name":7})"}), "the request lacks a usable \"name\" (request rename)");
    EXPECT_EQ(refusal({"rename", kRun, "[1]"}), "the request lacks a usable \"name\" (request rename)");
    EXPECT_THAT(refusal({"tag", kRun, R"({"tags":["whole"]})"}), HasSubstr("lists \"add\" and \"remove\""));
    EXPECT_THAT(refusal({"tag", kRun, R"({"add":"a"})"}), HasSubstr("a usable \"add\""));
    EXPECT_THAT(refusal({"tag", kRun, "not json"}), HasSubstr("request tag"));
    EXPECT_THAT(refusal({"note", kRun, R"({"text":"","replaces":"all"})"}), HasSubstr("a usable \"replaces\""));
    EXPECT_THAT(refusal({"note", kRun, "null"}), HasSubstr("a usable \"text\""));
    EXPECT_THAT(refusal({"move", kRun, R"({"by":"up"})"}), HasSubstr("a usable \"by\""));
    EXPECT_THAT(refusal({"put_item", "", R"({"kind":"pin","body":1})"}), HasSubstr("a usable \"key\""));
    EXPECT_THAT(refusal({"remove_item", "", R"({"key":"pin"})"}), HasSubstr("a usable \"kind\""));
    EXPECT_THAT(refusal({"ask", kRun, ""}), HasSubstr("request ask"));
    EXPECT_THAT(refusal({"enqueue", "", R"({"variant":{"topolgy":"encdec"}})"}), HasSubstr("topolgy"));
    EXPECT_THAT(refusal({"fly", kRun, "{}"}), HasSubstr("unknown request \"fly\""));
    EXPECT_THAT(refusal({"note", kRun, std::string(kMaxSpecBytes + 1, ' ')}), HasSubstr("16 MiB"));
}

TEST(Requests, VerbsOfTheTransitionTableAreRequests) {
    EXPECT_EQ(verbOf(requestOf(RunVerb::Start, kRun)), "resume");
    EXPECT_EQ(verbOf(requestOf(RunVerb::Resume, kRun)), "resume");
    EXPECT_EQ(verbOf(requestOf(RunVerb::Pause, kRun)), "pause");
    EXPECT_EQ(verbOf(requestOf(RunVerb::Stop, kRun)), "stop");
    EXPECT_EQ(verbOf(requestOf(RunVerb::Checkpoint, kRun)), "checkpoint");
    EXPECT_EQ(verbOf(requestOf(RunVerb::Delete, kRun)), "delete");
}

}  // namespace
}  // namespace heddle
