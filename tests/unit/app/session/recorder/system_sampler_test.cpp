// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/system_sampler.h"
#include "engine/run/system_series.h"
#include "tests/eventually.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// The fake driver in the place of both libraries; CUDA is in use as long as this object is there.
class FakeDriver {
public:
    FakeDriver() : library_(dlopen(HEDDLE_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL)) {}
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;
    ~FakeDriver() { dlclose(library_); }

    DriverLibraries names() const { return {HEDDLE_FAKE_DRIVER, HEDDLE_FAKE_DRIVER}; }
    int nvmlUsers() const { return reinterpret_cast<int (*)()>(dlsym(library_, "fakeNvmlUsers"))(); }

private:
    void* library_;
};

TEST(GpuMeter, ReadsTheGpuThatTheProcessCallsByThisNumber) {
    const FakeDriver driver;
    {
        const auto meter = GpuMeter::open("cuda:0", driver.names());
        ASSERT_TRUE(meter);
        const GpuReading reading = meter->read();
        EXPECT_EQ(reading.use, 0.93) << "NVML's third one";
        EXPECT_EQ(reading.memoryMib, 3072);
        EXPECT_EQ(reading.temperature, 63);
        EXPECT_EQ(reading.watts, 303.5);
        EXPECT_EQ(driver.nvmlUsers(), 1);
    }
    EXPECT_EQ(driver.nvmlUsers(), 0);
    EXPECT_EQ(GpuMeter::open("cuda:1", driver.names())->read().temperature, 41);
}

TEST(GpuMeter, LeavesOutWhatTheDriverDoesNotTell) {
    const FakeDriver driver;
    const GpuReading part = GpuMeter::open("cuda:2", driver.names())->read();
    EXPECT_FALSE(part.use.has_value());
    EXPECT_EQ(part.memoryMib, 2048);
}

TEST(GpuMeter, IsThereForAnNvidiaGpuInUseAlone) {
    EXPECT_FALSE(GpuMeter::open("cuda:0", {HEDDLE_FAKE_DRIVER, HEDDLE_FAKE_DRIVER})) << "CUDA is not in use";
    const FakeDriver driver;
    for (const char* device : {"cpu", "cuda:3", "cuda:", "cuda:1x", ""})
        EXPECT_FALSE(GpuMeter::open(device, driver.names())) << device;
    EXPECT_FALSE(GpuMeter::open("cuda:0", {"libno-such-nvml.so.1", HEDDLE_FAKE_DRIVER}));
    EXPECT_FALSE(GpuMeter::open("cuda:0", {"libc.so.6", HEDDLE_FAKE_DRIVER})) << "a library without the functions";
    EXPECT_EQ(driver.nvmlUsers(), 0);
}

TEST(SystemMeter, TellsCpuUseSinceTheReadingBeforeAndResidentMemory) {
    SystemMeter meter;
    const auto wasteTime = [](std::chrono::milliseconds time, bool isBusy) {
        for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;)
            if (!isBusy) std::this_thread::sleep_until(end);
    };
    const auto use = [&] {
        std::map<std::string_view, double> values;
        for (const auto& [name, value] : meter.read()) values[name] = value;
        EXPECT_THAT(values, SizeIs(2)) << "no GPU is read";
        EXPECT_GT(values[kResidentMemory.name], 1);
        EXPECT_LT(values[kResidentMemory.name], 1 << 20);
        return values[kCpuUse.name];
    };
    wasteTime(std::chrono::milliseconds(60), true);
    const double busy = use();
    wasteTime(std::chrono::milliseconds(60), false);
    EXPECT_LT(use(), busy / 2) << "other programs make it less than a core, but not so little";
}

/// "cpu_use 8+8: 1 2" (first step, distance, values) of each series of a block.
std::vector<std::string> told(const StepBlock& block) {
    std::vector<std::string> all;
    for (const SeriesBlock& series : block.series) {
        std::string text = series.name + ' ' + std::to_string(series.firstStep) + '+' + std::to_string(series.stride) + ':';
        for (const float value : series.values) text += ' ' + std::to_string(std::lround(value));
        all.push_back(text);
        EXPECT_FALSE(series.deterministic);
        EXPECT_TRUE(series.path.empty());
    }
    return all;
}

TEST(SystemSteps, ValuesAreMeansAtEqualDistancesThatFollowTheSpeed) {
    SystemSteps steps(0);
    EXPECT_THAT(told(steps.add(0, {{"a", 100}})), IsEmpty()) << "no step is done";
    EXPECT_THAT(told(steps.add(9, {{"a", 0}})), ElementsAre("a 8+8: 50")) << "the mean of both";
    EXPECT_THAT(told(steps.add(15, {{"a", 10}})), IsEmpty());
    EXPECT_THAT(told(steps.add(25, {{"a", 30}})), ElementsAre("a 16+8: 20 20")) << "no gap";
    EXPECT_THAT(told(steps.add(33, {{"a", 1}, {"b", 7}})), ElementsAre("a 32+8: 1", "b 32+8: 7")) << "a series may begin later";
    EXPECT_THAT(told(steps.add(33, {{"a", 5}})), IsEmpty()) << "an evaluation";
    EXPECT_THAT(told(steps.add(133, {{"a", 7}})), ElementsAre("a 64+64: 6 6")) << "the training has become faster";
    EXPECT_THAT(told(steps.finish(140, {{"a", 9}})), ElementsAre("a 140+1: 9"));
}

TEST(SystemSteps, AShortAttemptHasOneValueAndOneWithoutStepsNone) {
    EXPECT_THAT(told(SystemSteps(40).finish(43, {{"a", 9}})), ElementsAre("a 43+1: 9"));
    EXPECT_THAT(told(SystemSteps(40).finish(40, {{"a", 9}})), IsEmpty());
}

class SamplerTest : public testing::Test {
protected:
    SamplerTest() {
        attempt_.run = "0123456789ab";
        attempt_.attempt = 3;
        attempt_.firstStep = 10;
    }
    SystemSampler::Emit take() {
        return [this](Event event) {
            const std::lock_guard lock(mutex_);
            events_.push_back(std::move(event));
        };
    }
    std::vector<Event> events() const {
        const std::lock_guard lock(mutex_);
        return events_;
    }
    Event at(std::int64_t step, EventBody body = StepBlock{}) const {
        return {attempt_.run, attempt_.attempt, step, 0.5, std::move(body)};
    }
    static constexpr std::chrono::milliseconds kEvery{2};

    storage::AttemptRecord attempt_;

private:
    mutable std::mutex mutex_;
    std::vector<Event> events_;
};

TEST_F(SamplerTest, RecordsWhileTheAttemptTrainsAndItsEnd) {
    const FakeDriver driver;
    SystemSampler sampler(attempt_, kEvery, take(), driver.names());
    AttemptDescribed described;
    described.device = "cuda:0";
    sampler.follow(at(10, described));
    ASSERT_TRUE(eventually([&] { return driver.nvmlUsers() == 1; }));
    sampler.follow(at(12));
    ASSERT_TRUE(eventually([&] { return !events().empty(); }));
    const Event first = events().front();
    EXPECT_EQ(first.run, attempt_.run);
    EXPECT_EQ(first.attempt, 3);
    EXPECT_EQ(first.step, 12);
    EXPECT_EQ(first.seconds, 0.5) << "the attempt's time is the engine's";
    std::vector<std::string> names;
    for (const SeriesBlock& series : std::get<StepBlock>(first.body).series) names.push_back(series.name);
    EXPECT_THAT(names, testing::IsSupersetOf({"cpu_use", "gpu_use", "gpu_temperature", "gpu_power", "resident_memory"}));
    sampler.follow(at(13));
    sampler.finish();
    const auto last = std::get<StepBlock>(events().back().body).series.at(0);
    EXPECT_EQ(last.firstStep + last.stride * std::int64_t(last.values.size() - 1), 13);
    const std::size_t all = events().size();
    sampler.follow(at(20));
    sampler.finish();
    std::this_thread::sleep_for(5 * kEvery);
    EXPECT_THAT(events(), SizeIs(all));
}

TEST_F(SamplerTest, APausedRunUsesNothingThatIsRecorded) {
    SystemSampler sampler(attempt_, kEvery, take());
    sampler.follow(at(12, StateChanged{RunState::Paused, "user"}));
    std::this_thread::sleep_for(10 * kEvery);
    EXPECT_THAT(events(), IsEmpty());
    sampler.follow(at(12, StateChanged{RunState::Running, "user"}));
    EXPECT_TRUE(eventually([&] { return !events().empty(); }));
}

TEST_F(SamplerTest, ZeroSwitchesItOff) {
    SystemSampler sampler(attempt_, std::chrono::seconds(0), take());
    sampler.follow(at(20));
    sampler.finish();
    EXPECT_THAT(events(), IsEmpty());
}

}  // namespace
}  // namespace heddle::app
