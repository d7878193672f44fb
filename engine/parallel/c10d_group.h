// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/parallel/group.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle {

/// Processes connected by PyTorch's c10d: a TCPStore on rank 0 to find each other, Gloo between the hosts.
class C10dGroup final : public Group {
public:
    explicit C10dGroup(const ProcessPlace& place);
    ~C10dGroup() override;

    const ProcessPlace& place() const override { return place_; }
    void sum(const at::Tensor& values) override;
    void copyFromLeader(const at::Tensor& values) override;
    void offer(const Offer& offer) override;
    std::vector<Offer> offers() override;
    void tell(const Word& word) override;
    Word told() override;
    std::vector<std::string> exchange(const std::string& text) override;
    void beBusy() override;
    void resume() override;
    void requireAll() const override;
    bool isComplete() const override;

private:
    struct Connection;  // c10d's objects

    void guarded(const std::string& what, const std::function<void()>& work) const;
    void send(const Word& word);
    void showLife(const std::stop_token& stop);
    void awaitText(const std::string& key, int rank);

    ProcessPlace place_;
    std::unique_ptr<Connection> connection_;
    std::int64_t exchanges_ = 0;
    mutable std::mutex mutex_;  ///< guards the members below it; tell() and showLife() hold it while they send
    std::condition_variable_any changed_;
    enum class Phase { Preparing, Attentive, Busy } phase_ = Phase::Preparing;
    std::string lost_;   ///< the error that showed that a process is lost; empty: none is
    std::jthread life_;  // the last member: its destructor, which joins the thread, runs first
};

}  // namespace heddle
