// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/engine_loader.h"

#include "app/session/process/paths.h"
#include "engine/base/error.h"
#include "engine/base/temporary_folder.h"
#include "engine/run/build_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

TEST(EngineLoader, ALibraryOfAnotherBuildIsRefused) {
    ASSERT_NE(engineIdentity(), 0U);
    EXPECT_THAT([] { openEngineLibrary(HEDDLE_OTHER_ENGINE); },
                Throws<Error>(AllOf(
                    Property(&Error::code, ErrorCode::Failure), Property(&Error::problem, HasSubstr("another build of Heddle")),
                    Property(&Error::where, HEDDLE_OTHER_ENGINE), Property(&Error::next, HasSubstr("of one build")))));
}

TEST(EngineLoader, AFileThatIsNoLibraryIsNamed) {
    EXPECT_THAT([] { openEngineLibrary("/nowhere/libheddle_engine.so"); },
                Throws<Error>(AllOf(Property(&Error::where, "/nowhere/libheddle_engine.so"),
                                    Property(&Error::next, HasSubstr("heddle doctor")))));
}

TEST(EngineLoader, ThePlacesOfTheSearchAreListedWithWhatWasFound) {
    EngineReport report;
    report.searched = {{"python3", "", "", "missing"}, {".deps", "/src/torch", "2.11.0", ""}};
    EXPECT_EQ(searchedList(report), "python3: missing; .deps /src/torch: usable");
}

/// A current folder that a stranger filled with a package torch. tests/setup asks programs without a LibTorch of their own.
class StrangersFolder : public testing::Test {
protected:
    StrangersFolder() {
        fs::create_directories(folder_ / "torch/lib");
        for (const char* file : {"torch/__init__.py", "torch/lib/libtorch_cpu.so", "torch/lib/libc10.so"})
            std::ofstream(folder_ / file) << "";
        fs::current_path(folder_ / "");
        unsetenv("HEDDLE_LIBTORCH");
    }
    ~StrangersFolder() override {
        fs::current_path(before_);
        unsetenv("PYTHONPATH");
        libTorch_.empty() ? unsetenv("HEDDLE_LIBTORCH") : setenv("HEDDLE_LIBTORCH", libTorch_.c_str(), 1);
    }
    std::string torch() const { return fs::canonical(folder_ / "torch").string(); }

    TemporaryFolder folder_;
    fs::path before_ = fs::current_path();
    std::string libTorch_ = environment("HEDDLE_LIBTORCH");
};

TEST_F(StrangersFolder, NoPackageOfItIsFound) {
    for (const char* path : {"", ":", ".", ":.:torch", "./"}) {
        setenv("PYTHONPATH", path, 1);
        EXPECT_NE(pythonTorch().folder, torch()) << path;
    }
}

TEST_F(StrangersFolder, NoModuleOfItRuns) {
    for (const char* module : {"importlib", "site", "os", "sitecustomize"})
        std::ofstream(folder_ / (std::string(module) + ".py")) << "open('ran', 'w')\n";
    setenv("PYTHONPATH", ".", 1);
    pythonTorch();
    EXPECT_FALSE(fs::exists(folder_ / "ran"));
}

TEST_F(StrangersFolder, LibTorchBelowItIsTakenWhereTheUserNamesIt) {
    setenv("HEDDLE_LIBTORCH", torch().c_str(), 1);
    EXPECT_EQ(inspectEngine().libTorch, torch());
}

}  // namespace
}  // namespace heddle::app
