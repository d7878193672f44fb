// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs the bodies of the CUDA kernels on the host, where a team of CPU threads stands in for a team of device threads.

#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda/elements.h"

#include <condition_variable>
#include <iterator>
#include <list>
#include <mutex>
#include <thread>

namespace heddle::testing_support {

class LoneTeam {
public:
    int lane() const { return 0; }
    int lanes() const { return 1; }
    template <class Value>
    Value sum(Value x) {
        return x;
    }
    float max(float x) { return x; }
    int warp() const { return 0; }
    int warps() const { return 1; }
    int place() const { return 0; }
    int places() const { return 1; }
    std::uint32_t vote(bool x) { return x ? 1 : 0; }
    cuda::Four sumOfWarps(const cuda::Four& x) { return x; }
};

/// The barrier of a team, with a value and a quad of each thread. std::barrier of g++ 12 sleeps for fixed times: 20 times
/// slower where processors are scarce.
class TeamBarrier {
public:
    explicit TeamBarrier(int lanes) : values(static_cast<std::size_t>(lanes)), quads(values.size()) {}
    /// Returns when all lanes have called it.
    void wait() {
        std::unique_lock lock(mutex_);
        const int round = rounds_;
        if (++arrived_ == static_cast<int>(values.size())) {
            arrived_ = 0;
            ++rounds_;
            all_.notify_all();
        } else {
            all_.wait(lock, [&] { return rounds_ != round; });
        }
    }
    std::vector<double> values;
    std::vector<cuda::Four> quads;

private:
    std::mutex mutex_;
    std::condition_variable all_;
    int arrived_ = 0, rounds_ = 0;
};

/// The index of an item of a group, among groups of equal size.
inline std::size_t indexOf(int group, int size, int item) {
    return static_cast<std::size_t>(group) * static_cast<std::size_t>(size) + static_cast<std::size_t>(item);
}

class ThreadTeam {
public:
    /// `thread`: its number in the block.
    ThreadTeam(TeamBarrier& ofBlock, TeamBarrier& ofTeam, TeamBarrier& ofWarp, int thread)
        : ofBlock_(ofBlock), ofTeam_(ofTeam), ofWarp_(ofWarp), lane_(thread % lanes()), number_(thread / lanes()) {}
    int lane() const { return lane_; }
    int lanes() const { return static_cast<int>(ofTeam_.values.size()); }
    template <class Value>
    Value sum(Value x) {
        return joined(x, [](Value a, Value b) { return a + b; });
    }
    float max(float x) {
        return joined(x, [](float a, float b) { return b > a ? b : a; });
    }
    int warp() const { return lane_ / places(); }
    int warps() const { return lanes() / places(); }
    int place() const { return lane_ % places(); }
    int places() const { return static_cast<int>(ofWarp_.values.size()); }
    std::uint32_t vote(bool x) {
        ofWarp_.values[static_cast<std::size_t>(place())] = x ? 1 : 0;
        ofWarp_.wait();
        std::uint32_t all = 0;
        for (std::size_t i = 0; i < ofWarp_.values.size(); ++i) all |= (ofWarp_.values[i] != 0 ? 1U : 0U) << i;
        ofWarp_.wait();  // all have read
        return all;
    }
    int number() const { return number_; }
    int teams() const { return static_cast<int>(ofBlock_.values.size()) / lanes(); }
    cuda::Four sumOfTeams(const cuda::Four& x) {
        if (teams() == 1) return x;
        ofBlock_.quads[indexOf(number_, lanes(), lane_)] = x;
        ofBlock_.wait();
        cuda::Four all = x;
        for (int i = 1; i < teams() && number_ == 0; ++i) all = added(all, ofBlock_.quads[indexOf(i, lanes(), lane_)]);
        ofBlock_.wait();  // the first team has read
        return all;
    }
    cuda::Four sumOfWarps(const cuda::Four& x) {
        cuda::Four all{};
        for (int j = 0; j < 4; ++j) {
            ofTeam_.values[static_cast<std::size_t>(lane_)] = x.v[j];
            ofTeam_.wait();
            for (int i = 0; i < warps(); ++i) all.v[j] += static_cast<float>(ofTeam_.values[indexOf(i, places(), place())]);
            ofTeam_.wait();
        }
        return all;
    }

private:
    template <class Value, class Join>
    Value joined(Value x, const Join& join) {
        ofTeam_.values[static_cast<std::size_t>(lane_)] = x;
        ofTeam_.wait();
        auto all = static_cast<Value>(ofTeam_.values[0]);
        for (std::size_t i = 1; i < ofTeam_.values.size(); ++i) all = join(all, static_cast<Value>(ofTeam_.values[i]));
        ofTeam_.wait();  // all have read
        return all;
    }

    TeamBarrier &ofBlock_, &ofTeam_, &ofWarp_;
    int lane_, number_;
};

/// Runs the pass on every row, by a team of `lanes` threads in `warps` warps.
template <class Pass>
void runRows(const Pass& pass, std::int64_t rows, int lanes, int warps = 1) {
    if (lanes == 1) {
        LoneTeam team;
        for (std::int64_t row = 0; row < rows; ++row) pass(row, team);
        return;
    }
    TeamBarrier ofTeam(lanes);
    std::list<TeamBarrier> ofWarps;
    for (int warp = 0; warp < warps; ++warp) ofWarps.emplace_back(lanes / warps);
    std::vector<std::jthread> threads;
    for (int lane = 0; lane < lanes; ++lane)
        threads.emplace_back([&, lane] {
            ThreadTeam team(ofTeam, ofTeam, *std::next(ofWarps.begin(), lane / (lanes / warps)), lane);
            for (std::int64_t row = 0; row < rows; ++row) pass(row, team);
        });
}

/// Runs the pass on every block, by `teams` teams of `lanes` threads, each team a warp.
template <class Pass>
void runBlocks(const Pass& pass, std::int64_t blocks, int lanes, int teams) {
    TeamBarrier ofBlock(lanes * teams);
    std::list<TeamBarrier> ofTeams;
    for (int team = 0; team < teams; ++team) ofTeams.emplace_back(lanes);
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < lanes * teams; ++thread)
        threads.emplace_back([&, thread] {
            TeamBarrier& ofTeam = *std::next(ofTeams.begin(), thread / lanes);
            ThreadTeam team(ofBlock, ofTeam, ofTeam, thread);
            for (std::int64_t block = 0; block < blocks; ++block) pass(block, team);
        });
}

template <class Pass>
void runElements(const Pass& pass, std::int64_t n) {
    const cuda::Span all{0, n};
    for (std::int64_t i = all.quads() - 1; i >= 0; --i) pass(all.quad(i));  // in any order
}

/// Normal numbers, the same for a name everywhere.
inline at::Tensor drawn(const std::string& name, at::IntArrayRef sizes, at::ScalarType type) {
    return normal(randomKey(3, name), sizes, 0, 1).to(type);
}

/// A kernel's element type as torch knows it.
template <class T>
inline constexpr at::ScalarType kTypeOf = std::is_same_v<T, float> ? at::kFloat : at::kBFloat16;
template <class T>
inline constexpr cuda::ElementType kElementOf =
    std::is_same_v<T, float> ? cuda::ElementType::Float32 : cuda::ElementType::BFloat16;
/// How far a kernel may be from its definition in float64, both reading the same rounded values.
template <class T>
inline constexpr double kToleranceOf = std::is_same_v<T, float> ? 1e-5 : 1e-2;

}  // namespace heddle::testing_support
