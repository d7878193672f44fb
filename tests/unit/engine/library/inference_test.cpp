// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/tasks/task_run.h"

#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

/// Has no memory left, in the words of LibTorch's own allocator.
class ExhaustedAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        TORCH_CHECK(false, "not enough memory: you tried to allocate ", bytes, " bytes");
    }
    void copy_data(void* to, const void* from, std::size_t count) const override { default_copy_data(to, from, count); }
};

/// Gives the CPU's tensors no memory while it lives.
class NoMemory {
public:
    NoMemory() { c10::SetCPUAllocator(&exhausted_, kPriority); }
    NoMemory(const NoMemory&) = delete;
    NoMemory& operator=(const NoMemory&) = delete;
    ~NoMemory() { c10::SetCPUAllocator(before_, kPriority); }

private:
    static constexpr std::uint8_t kPriority = 1;  // useCachingHostAllocator()'s

    ExhaustedAllocator exhausted_;
    c10::Allocator* before_ = c10::GetCPUAllocator();
};

using Inference = test::TaskRun;

// Before: LibTorch's own exception left the library, and the program ended with another exit status.
TEST_F(Inference, ATranslationWithoutMemoryIsAnErrorOfOurs) {
    RunSpec spec = test::toySpec(folder.path(), test::toyPairs(24), test::toyPairs(20));
    spec.train.epochs = 0;
    spec.train.steps = 1;
    const std::string checkpoint = folder / ("run/step-" + std::to_string(train(spec).step));
    const auto session = test::createEngine()->openInference(spec, folder / "run", checkpoint, "cpu");
    DecodeRequest request;
    request.lines = {test::toyPairs(1)[0].first};
    try {
        const NoMemory noMemory;
        session->translate(request);
        FAIL() << "there was no memory";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::OutOfMemory);
        EXPECT_EQ(error.where(), checkpoint);
        EXPECT_EQ(error.problem().rfind("not enough memory: "), 0U) << "once, at the beginning: " << error.problem();
    }
    EXPECT_EQ(session->translate(request).size(), 1U) << "the session is still of use";
}

}  // namespace
}  // namespace heddle
