// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/table_export.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

const ExportedTable kTable{
    {"Group", "Valid loss, %", "n"}, {{"a_b & c|d", "4.10 ± 0.01", "3"}, {"=1+1, \"x\"", "−2 †", "1"}}, 1, "mean ± sd"};

TEST(TableExport, LatexHasTheRulesOfBooktabsAndEscapes) {
    EXPECT_EQ(tableText(kTable, TableFormat::Latex),
              "% \\usepackage{booktabs}\n"
              "\\begin{tabular}{lrr}\n"
              "\\toprule\n"
              "Group & Valid loss, \\% & n \\\\\n"
              "\\midrule\n"
              "a\\_b \\& c|d & 4.10 $\\pm$ 0.01 & 3 \\\\\n"
              "=1+1, \"x\" & $-$2 \\dag{} & 1 \\\\\n"
              "\\bottomrule\n"
              "\\end{tabular}\n"
              "\nmean $\\pm$ sd\n");
    EXPECT_NE(tableText({{"\\{$#^~<"}, {}, 1}, TableFormat::Latex)
                  .find("\\textbackslash{}\\{\\$\\#\\textasciicircum{}\\textasciitilde{}\\textless{} \\\\"),
              std::string::npos);
}

TEST(TableExport, MarkdownHasARowOfAlignments) {
    EXPECT_EQ(tableText(kTable, TableFormat::Markdown),
              "| Group | Valid loss, % | n |\n"
              "| :--- | ---: | ---: |\n"
              "| a\\_b &amp; c\\|d | 4.10 ± 0.01 | 3 |\n"
              "| =1+1, \"x\" | −2 † | 1 |\n"
              "\nmean ± sd\n");
}

TEST(TableExport, CsvIsQuotedAndRunsNoFormula) {
    EXPECT_EQ(tableText(kTable, TableFormat::Csv),
              "Group,\"Valid loss, %\",n\n"
              "a_b & c|d,4.10 ± 0.01,3\n"
              "\"'=1+1, \"\"x\"\"\",−2 †,1\n");
    EXPECT_EQ(tableText({{"a\tb", "c"}, {{"1", "2"}}, 1}, TableFormat::Tsv), "a b\tc\n1\t2\n");
}

TEST(TableExport, TheEndOfTheNameIsTheFormat) {
    EXPECT_EQ(tableFormatOf("runs.tex"), TableFormat::Latex);
    EXPECT_EQ(tableFormatOf("/x.y/runs.md"), TableFormat::Markdown);
    EXPECT_EQ(tableFormatOf("runs.csv"), TableFormat::Csv);
    EXPECT_EQ(tableFormatOf("runs.tsv"), TableFormat::Tsv);
    EXPECT_FALSE(tableFormatOf("runs.svg"));
}

}  // namespace
}  // namespace heddle
