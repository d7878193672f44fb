// SPDX-License-Identifier: Apache-2.0
// The architecture of design and contribution guide, read off the sources themselves. Every rule is first shown to be able to
// fail: on planted text.
#include "tests/arch/rules.h"

#include <gmock/gmock.h>

#include <fstream>

using namespace heddle::arch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

const SourceTree& sources() {
    static const SourceTree kTree = readSources(HEDDLE_SOURCE_DIR);
    return kTree;
}

SourceTree tracked() { return readTracked(HEDDLE_SOURCE_DIR); }

SourceFile planted(const std::string& path, const std::string& text) { return {path, text}; }

}  // namespace

TEST(CodeOnly, BlanksCommentsAndLiteralsAndKeepsLines) {
    EXPECT_EQ(codeOnly("a // b\nc /* d\n */ e"), "a     \nc     \n    e");
    EXPECT_EQ(codeOnly("f(\"x\\\"y\", 'z', 1'000)"), "f(      ,    , 1'000)");
    EXPECT_EQ(codeOnly("R\"q(a\"b)q\" c"), "R          c");
    EXPECT_EQ(codeOnly("a // to the end"), "a              ");
}

TEST(Arrows, FindsEveryKindOfForbiddenArrow) {
    const auto found = arrowViolations({
        planted("engine/spec/a.h", "#include \"storage/records.h\"\n"),
        planted("engine/data/a.cpp", "#include \"engine/model/model.h\"\n"),
        planted("engine/train/a.cpp", "\n#include \"app/session/x.h\"\n"),
        planted("engine/kernels/cuda/a.cpp", "#include \"engine/device/device.h\"\n"),
        planted("storage/a.cpp", "#include \"engine/base/error.h\"\n"),
        planted("app/session/a.cpp", "#include \"engine/model/model.h\"\n"),
        planted("ui/watch/a.cpp", "#include \"app/session/x.h\"\n"),
        planted("app/cli/a.cpp", "#include \"ui/x.h\"\n"),
        planted("app/cli/b.cpp", "#include \"b.h\"\n"),
    });
    EXPECT_THAT(found, SizeIs(9));
    EXPECT_THAT(found, testing::Contains("engine/train/a.cpp:2: engine may not see session (app/session/x.h)"));
}

TEST(Arrows, AllowsTheRoad) {
    EXPECT_THAT(arrowViolations({planted("app/cli/a.cpp", "#include \"app/session/x.h\"\n#include <vector>\n"),
                                 planted("engine/train/a.cpp", "#include \"engine/data/batching/batch.h\"\n"),
                                 planted("engine/data/a.cpp", "#include \"engine/base/philox.h\"\n"),
                                 planted("tests/unit/a.cpp", "#include \"app/session/x.h\"\n")}),
                IsEmpty());
}

TEST(Arrows, HoldInTheSources) { EXPECT_THAT(arrowViolations(sources()), IsEmpty()); }

TEST(Layers, FindsWhatLooksUpAndWhatLiesOnNone) {
    const auto found = layerViolations({
        planted("engine/device/a.cpp", "#include \"engine/kernels/cpu/row_kernels.h\"\n"),
        planted("engine/kernels/cuda/b.cu", "#include \"engine/device/cuda_arguments.h\"\n#include \"engine/kernels/c.h\"\n"),
        planted("engine/tasks/c.cpp", "#include \"engine/data/batching/batch.h\"\n#include \"engine/train/loop/trainer.h\"\n"),
        planted("engine/attic/d.cpp", "#include \"engine/base/error.h\"\n"),
        planted("ui/panels/f.cpp", "#include \"ui/pages/page.h\"\n#include \"engine/library/a.h\"\n"),
        planted("ui/pages/compose/draft/g.cpp", "#include \"ui/pages/compose/diagram/diagram.h\"\n"),
        planted("ui/pages/compose/compose_page.cpp", "#include \"ui/pages/compose/diagram/diagram.h\"\n"),
        planted("tests/unit/engine/base/e.cpp", "#include \"engine/library/sessions.h\"\n"),
    });
    EXPECT_THAT(found, ElementsAre("engine/device/a.cpp:1: looks up to engine/kernels/cpu/row_kernels.h",
                                   "engine/tasks/c.cpp:2: looks up to engine/train/loop/trainer.h",
                                   "engine/attic/d.cpp:1: lies in a folder that is in no layer",
                                   "ui/panels/f.cpp:1: looks up to ui/pages/page.h",
                                   "ui/pages/compose/draft/g.cpp:1: looks up to ui/pages/compose/diagram/diagram.h"));
}

TEST(Layers, StandInTheSources) { EXPECT_THAT(layerViolations(sources()), IsEmpty()); }

TEST(Layers, AreDrawnInTheGuide) {
    std::ifstream file(HEDDLE_SOURCE_DIR "/CONTRIBUTING.md");
    const std::string guide{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(undrawnLayers(guide), IsEmpty());
    EXPECT_THAT(undrawnLayers("\nbase   errors\nspec   what a run is\n"), SizeIs(36)) << "the ground above a layer";
}

TEST(Libraries, AreFoundOutsideTheirHomes) {
    const auto found = libraryViolations({
        planted("engine/spec/a.h", "#include <ATen/ATen.h>\n"),
        planted("app/session/a.cpp", "#include <SQLiteCpp/SQLiteCpp.h>\n"),
        planted("engine/run/a.cpp", "#include <QString>\n"),
        planted("app/session/b.cpp", "#include <CLI/CLI.hpp>\n"),
        planted("ui/watch/a.cpp", "#include <qcustomplot.h>\n"),
        planted("storage/a.cpp", "#include <sentencepiece_processor.h>\n"),
    });
    EXPECT_THAT(found, SizeIs(6));
}

TEST(Libraries, AreFoundThroughOurOwnHeaders) {
    const auto found = libraryViolations({planted("engine/model/model.h", "#include <ATen/core/Tensor.h>\n"),
                                          planted("engine/spec/b.h", "#include \"engine/model/model.h\"\n"),
                                          planted("app/cli/a.cpp", "#include \"engine/spec/b.h\"\n")});
    EXPECT_THAT(found, ElementsAre(HasSubstr("engine/spec/b.h:1: sees LibTorch"), HasSubstr("app/cli/a.cpp:1: sees LibTorch")));
}

TEST(Libraries, FmtBesideTorchIsFound) {
    EXPECT_THAT(libraryViolations({planted("engine/train/a.cpp", "#include <ATen/ATen.h>\n#include \"engine/spec/a.h\"\n"),
                                   planted("engine/spec/a.h", "#include <fmt/format.h>\n")}),
                ElementsAre(HasSubstr("engine/train/a.cpp:1: sees both torch")));
}

TEST(Libraries, SentencePieceInTwoFilesIsFound) {
    EXPECT_THAT(libraryViolations({planted("engine/data/tokenizers/a.cpp", "#include <sentencepiece_processor.h>\n"),
                                   planted("engine/data/tokenizers/b.cpp", "#include <sentencepiece_trainer.h>\n")}),
                SizeIs(2));
}

TEST(Libraries, StayAtHomeInTheSources) { EXPECT_THAT(libraryViolations(sources()), IsEmpty()); }

TEST(HeavyHeaders, AreFoundAlsoThroughOthers) {
    const auto found = heavyHeaderViolations(
        {planted("engine/device/torch_pch.h", "#include <ATen/ATen.h>\n"),
         planted("engine/blocks/block_file.h", "#include \"engine/device/torch_pch.h\"\n"),
         planted("engine/blocks/block.h", "#include <ATen/core/Tensor.h>\n"),
         planted("engine/model/a.h", "#include <torch/torch.h>\n"),
         planted("engine/model/b.h", "#include \"engine/blocks/block_file.h\"\n"),
         planted("engine/model/c.h", "#include \"engine/blocks/block.h\"\n#include <c10/core/Device.h>\n"),
         planted("engine/model/c.cpp", "#include \"engine/device/torch_pch.h\"\n")});
    EXPECT_THAT(found,
                ElementsAre(HasSubstr("engine/model/a.h:1: a header sees <torch/torch.h>"),
                            HasSubstr("engine/model/b.h:1: a header sees <ATen/ATen.h> (in engine/device/torch_pch.h)")));
}

TEST(HeavyHeaders, NoneInTheSources) { EXPECT_THAT(heavyHeaderViolations(sources()), IsEmpty()); }

TEST(FileSizes, LongFileIsFound) {
    EXPECT_THAT(sizeViolations({planted("a.cpp", std::string(400, '\n'))}), IsEmpty());
    EXPECT_THAT(sizeViolations({planted("a.cpp", std::string(401, '\n'))}), SizeIs(1));
}

TEST(FileSizes, HoldInTheSources) { EXPECT_THAT(sizeViolations(sources()), IsEmpty()); }

TEST(Licences, MissingOrWrongLineIsFound) {
    EXPECT_THAT(licenceViolations({planted("engine/a.cpp", "#include <x>\n"),
                                   planted("ui/a.cpp", "// SPDX-License-Identifier: Apache-2.0\n"),
                                   planted("engine/b.cpp", "\n\n// SPDX-License-Identifier: Apache-2.0\n")}),
                SizeIs(3));
    EXPECT_THAT(licenceViolations({planted("engine/a.cpp", "// SPDX-License-Identifier: Apache-2.0\n"),
                                   planted("ui/a.cpp", "// SPDX-License-Identifier: GPL-3.0-or-later\n")}),
                IsEmpty());
}

TEST(Licences, StandInEverySource) { EXPECT_THAT(licenceViolations(sources()), IsEmpty()); }

TEST(Scripts, ShortAndLicensedToo) {
    SourceTree scripts = tracked();
    if (scripts.empty()) GTEST_SKIP() << "git does not answer here";
    std::erase_if(scripts, [](const SourceFile& file) {
        const bool script = file.path.ends_with(".sh") || file.path.ends_with(".py") || file.path.ends_with(".sql") ||
                            file.path.ends_with(".cmake") || file.path.ends_with("CMakeLists.txt") || file.path == ".ci/run";
        return !script;
    });
    EXPECT_THAT(scripts, testing::Not(IsEmpty()));
    EXPECT_THAT(licenceViolations(scripts), IsEmpty());
    EXPECT_THAT(sizeViolations(scripts), IsEmpty());
}

TEST(Blocks, UnlistedOneIsFound) {
    const auto found = [](const std::string& path, const std::string& text) {
        return unlistedBlocks(
            {planted("engine/blocks/catalogue.cpp", "BLOCK(\"residual\", \"grc\", GrcResidual) \\\n"), planted(path, text)});
    };
    EXPECT_THAT(found("engine/blocks/residual/grc.cpp", "BlockDescriptor describeGrcResidual() {}\n"), IsEmpty());
    EXPECT_THAT(found("engine/blocks/residual/grc.cpp", "BlockDescriptor describeGrc() {}\n"), SizeIs(1));
    EXPECT_THAT(found("engine/blocks/residual/gate.cpp", "BlockDescriptor describeGrcResidual() {}\n"), SizeIs(1));
    EXPECT_THAT(found("engine/blocks/norm/grc.cpp", "BlockDescriptor describeGrcResidual() {}\n"), SizeIs(1));
    const SourceTree shared{planted("engine/blocks/residual/gate.h", ""), planted("engine/blocks/residual/gate.cpp", "")};
    EXPECT_THAT(unlistedBlocks(shared), IsEmpty()) << "what blocks of a slot share has a header";
}

TEST(Blocks, AreAllListed) { EXPECT_THAT(unlistedBlocks(sources()), IsEmpty()); }

TEST(Blocks, NamedOutsideTheirFilesAreFound) {
    const SourceFile list =
        planted("engine/blocks/catalogue.cpp",
                "BLOCK(\"score\", \"none\", No) \\\nBLOCK(\"share\", \"fixed_point\", F) \\\nBLOCK(\"head\", \"tag\", T)");
    const auto found = [&](const std::string& path, const std::string& text) {
        return namedBlocks({list, planted(path, text)});
    };
    EXPECT_THAT(found("engine/spec/a.cpp", "\nif (share == \"fixed_point\") return;\n"),
                ElementsAre(HasSubstr("engine/spec/a.cpp:2: names the block \"fixed_point\"; give BlockDescriptor the fact")));
    for (const char* text :
         {"set{\"fixed_point\"}", "QLatin1String(\"fixed_point\")", "choice.id == \"none\"", "\"none\" != block->id",
          "id(\"direct\") == \"none\"", "place.is(\"score\", \"none\")", "{{\"score\",\n \"none\"}}"})
        EXPECT_THAT(found("ui/pages/a.cpp", text), SizeIs(1)) << text;
    for (const char* text : {"// \"fixed_point\"", "tr(\"none\")", "f(\"use fixed_point or none\")", "kind == \"tag\"",
                             "{\"bias\", \"none\"}", "run.add(\"tag\")"})
        EXPECT_THAT(found("app/cli/a.cpp", text), IsEmpty()) << text;
    for (const char* path : {"engine/blocks/share/fixed_point.cpp", "engine/verify/a.cpp", "engine/spec/variant_schema.cpp",
                             "engine/spec/task_kinds.cpp", "tests/a.cpp"})
        EXPECT_THAT(found(path, "\"fixed_point\""), IsEmpty()) << path;
}

TEST(Blocks, AreNamedNowhereElse) { EXPECT_THAT(namedBlocks(sources()), IsEmpty()); }

TEST(Faults, ThatCannotBePlantedAreFound) {
    const SourceTree tree{planted("engine/a.cpp", "x = 1; y = 2; x = 1;")};
    const auto fault = [](const std::string& file, const std::string& find) {
        return R"([{"file": ")" + file + R"(", "find": ")" + find + R"("}])";
    };
    EXPECT_THAT(unplantableFaults(tree, fault("engine/a.cpp", "y = 2")), IsEmpty());
    EXPECT_THAT(unplantableFaults(tree, fault("engine/a.cpp", "x = 1")), SizeIs(1)) << "twice";
    EXPECT_THAT(unplantableFaults(tree, fault("engine/a.cpp", "z = 3")), SizeIs(1));
    EXPECT_THAT(unplantableFaults(tree, fault("engine/b.cpp", "y = 2")), SizeIs(1)) << "no such file";
}

TEST(Faults, FitTheSources) {
    std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/mutants/faults.json");
    EXPECT_THAT(unplantableFaults(sources(), {std::istreambuf_iterator<char>(file), {}}), IsEmpty());
}

TEST(Options, ReadFromJsonByHandAreFound) {
    EXPECT_THAT(untypedOptions({planted("engine/blocks/ffn/a.cpp", "act_(c.params.at(\"act\"))\n"),
                                planted("engine/blocks/ffn/b.cpp", "x = gate[\"act\"]; // params.at(\"act\")\n"),
                                planted("engine/blocks/ffn/c.cpp", "o.read(c.params); b_.at(0);\n"),
                                planted("engine/blocks/options.h", "params.at(\"act\")\n")}),
                ElementsAre(HasSubstr("engine/blocks/ffn/a.cpp:1"), HasSubstr("engine/blocks/ffn/b.cpp:1")));
}

TEST(Options, AreTypedInEveryBlock) { EXPECT_THAT(untypedOptions(sources()), IsEmpty()); }

TEST(Tasks, ComparedByNameAreFound) {
    const SourceFile kinds = planted("engine/spec/task_kinds.cpp", "{\"mlm\",\n         \"Masked language model\",\n");
    const auto found = [&](const std::string& path, const std::string& text) {
        return taskComparisons({kinds, planted(path, text)});
    };
    EXPECT_THAT(found("engine/train/loop/a.cpp", "\nif (spec.data.task == \"word2vec\") return;\n"),
                ElementsAre("engine/train/loop/a.cpp:2: compares a task with \"word2vec\""));
    for (const char* text : {"kind != \"mlm\"", "\"mlm\" == name", "spec_.data.task ==\n    \"other\"", "kind.task.id == \"x\"",
                             "f(task == \"a\" ? 1 : 2)", "task.id!=\"a\""})
        EXPECT_THAT(found("app/cli/a.cpp", text), SizeIs(1)) << text;
    for (const char* text :
         {"// task == \"mlm\"", "f(\"task == \\\"mlm\\\"\")", "globals.at(\"head\").id == \"mlm\"",
          "kind.target == Target::MaskedTokens", "key == \"task\"", "{\"mlm\", makeTask}", "spec.task == other"})
        EXPECT_THAT(found("engine/bench/a.cpp", text), IsEmpty()) << text;
    EXPECT_THAT(found("ui/compose/a.cpp", "task == \"mlm\""), IsEmpty());
}

TEST(Tasks, AreComparedByNameNowhere) { EXPECT_THAT(taskComparisons(sources()), IsEmpty()); }

TEST(EventLoops, NestedOnesAreFound) {
    for (const char* text :
         {"question.exec();", "menu->exec(place);", "QInputDialog::getDouble(this)", "QFileDialog::getOpenFileName()",
          "QMessageBox::warning(this)", "QCoreApplication::processEvents();"})
        EXPECT_THAT(nestedLoops({planted("ui/pages/a.cpp", text)}), SizeIs(1)) << text;
    EXPECT_THAT(nestedLoops({planted("app/studio/main.cpp", "QApplication::exec();"), planted("tests/ui/a.cpp", "a.exec();"),
                             planted("ui/panels/a.cpp", "box->open(); // not exec()")}),
                IsEmpty());
}

TEST(EventLoops, TheStudioHasOne) { EXPECT_THAT(nestedLoops(sources()), IsEmpty()); }

TEST(PrivateOperators, AreFoundOutsideTheirFile) {
    EXPECT_THAT(privateOperators({planted("engine/kernels/a.cpp", "at::_unsafe_view(x, sizes); // at::_fused_adam_\n"),
                                  planted("engine/device/torch_private.cpp", "at::_unsafe_view(x, sizes);\n")}),
                ElementsAre("engine/kernels/a.cpp:1: at::_unsafe_view is LibTorch's own"));
}

TEST(PrivateOperators, HaveOneFile) { EXPECT_THAT(privateOperators(sources()), IsEmpty()); }

TEST(Generators, AreFoundInCodeButNotInComments) {
    for (const char* text :
         {"at::rand({2})", "at::randn_like(x)", "torch::manual_seed(1)", "at::dropout(x, p, true)", "x.bernoulli_(0.5)",
          "w.normal_(0, 1)", "std::mt19937 g(time(nullptr));", "std::rand()", "at::bernoulli(x)", "std::shuffle(a, b, g)"})
        EXPECT_THAT(generatorViolations({planted("engine/train/a.cpp", text)}), SizeIs(1)) << text;
    EXPECT_THAT(generatorViolations({planted("engine/train/a.cpp", "// at::rand({2})\nf(\"at::rand(\"); operand(x);")}),
                IsEmpty());
}

TEST(Generators, NoneInTheEngine) { EXPECT_THAT(generatorViolations(sources()), IsEmpty()); }

TEST(Repository, ForeignFolderIsFound) {
    EXPECT_THAT(folderViolations({planted("tools/a.py", ""), planted("engine/a.cpp", ""), planted("README.md", "")}),
                ElementsAre(HasSubstr("tools/a.py")));
}

TEST(Repository, HasOnlyTheFixedFolders) {
    const SourceTree files = tracked();
    if (files.empty()) GTEST_SKIP() << "git does not answer here";
    EXPECT_THAT(folderViolations(files), IsEmpty());
}

TEST(Repository, MachinePathIsFound) {
    EXPECT_THAT(machinePathViolations({planted("README.md", std::string("one\n/wo") + "rk/main/x\n")}),
                ElementsAre(HasSubstr("README.md:2")));
    EXPECT_THAT(machinePathViolations({planted("README.md", "the framework/engine, ../shared/data\n")}), IsEmpty());
}

TEST(Repository, NamesNoPathOfOneMachine) {
    const SourceTree files = tracked();
    if (files.empty()) GTEST_SKIP() << "git does not answer here";
    EXPECT_THAT(machinePathViolations(files), IsEmpty());
}
