// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/corpus.h"

#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::invalidInput;
using testing_support::TempFolder;

TEST(Corpus, WikitextKeepsHeadingsEmptyLinesAndUnknownWords) {
    const TempFolder folder;
    const std::string text =
        " \n = Robert <unk> = \n \n He is an actor . \n \n = = Career = = \n \n In 2000 he <unk> . \n \n = Second = \n \n Text "
        ". \n";
    for (const std::string& path : {folder.write("wiki.valid.tokens", text), folder.writeGzip("w.gz", text)}) {
        const Corpus corpus = readCorpus(path);
        EXPECT_EQ(corpus.layout, CorpusLayout::Wikitext);
        EXPECT_EQ(corpus.file.lines.size(), 12U);
        EXPECT_EQ(corpus.file.lines[1], " = Robert <unk> = ");
        EXPECT_THAT(corpus.documentBegin, ElementsAre(1, 9));
        EXPECT_EQ(corpus.headings, 3);
        EXPECT_EQ(corpus.emptyLines, 6);
    }
}

TEST(Corpus, EmptyLinesEndDocumentsOfPlainText) {
    const TempFolder folder;
    const Corpus corpus = readCorpus(folder.write("c.txt", "\na\nb\n\n\nc = d\n"));
    EXPECT_EQ(corpus.layout, CorpusLayout::Plain);
    EXPECT_THAT(corpus.documentBegin, ElementsAre(1, 5));
    EXPECT_THAT(readCorpus(folder.write("d.txt", "a\nb\n")).documentBegin, ElementsAre(0));
    EXPECT_THAT(readCorpus(folder.write("e.txt", "")).documentBegin, IsEmpty());
}

TEST(Sgm, SegmentsBecomeLinesWithEntitiesDecoded) {
    const TempFolder folder;
    const std::string text =
        "<srcset setid=\"newstest\" srclang=\"any\">\n<doc sysid=\"ref\" docid=\"d1\" origlang=\"de\">\n<p>\n"
        "<seg id=\"1\">Bonnie &amp; Clyde &lt;b&gt; &quot;x&apos; AT&T &#252;&#x4e2d;&nope; </seg>\n"
        "<seg id=\"2\">over\ntwo lines</seg><seg id=\"3\"></seg>\n</p>\n</doc>\n<DOC docid=\"d2\"><SEG "
        "id=1>Next</SEG></DOC>\n</srcset>\n";
    for (const std::string& path : {folder.write("src.de.sgm", text), folder.writeGzip("src.de.sgm.gz", text)})
        EXPECT_THAT(readTextOrSgm(path).lines,
                    ElementsAre("Bonnie & Clyde <b> \"x' AT&T ü中&nope;", "over two lines", "", "Next"));
    EXPECT_THAT(readTextOrSgm(folder.write("plain.de", "<seg>\n&amp;\n")).lines, ElementsAre("<seg>", "&amp;"));
}

TEST(Sgm, Malformed) {
    const TempFolder folder;
    const auto errorOf = [&](const std::string& text) {
        return invalidInput([&] { readTextOrSgm(folder.write("f.sgm", text)); });
    };
    EXPECT_THAT(errorOf("<refset>\n<doc docid=\"a\">\n<seg id=\"1\">cut"),
                HasSubstr("unclosed segment (" + folder.file("f.sgm") + ", line 3)"));
    EXPECT_THAT(errorOf("<refset>\n</refset>\n"), HasSubstr("no segments"));
    EXPECT_THAT(
        errorOf("<refset>\n<doc docid=\"a\"><seg id=\"1\">x</seg></doc>\n<doc docid=\"a\"><seg id=\"1\">y</seg></doc>\n"),
        HasSubstr("segment 1 of document \"a\" appears twice"));
}

}  // namespace
}  // namespace heddle
