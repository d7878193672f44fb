// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

// LibTorch exports its Gloo back end, but its wheel has no Gloo headers, without which its own ProcessGroupGloo.hpp declares
// nothing. These are the declarations of torch 2.11 that are needed to create one and to use it as a c10d::Backend; the members
// say how large it is.
namespace gloo {
class Context;
namespace transport {
class Device;
}
namespace rendezvous {
class Store;
}
}  // namespace gloo

namespace c10d {

struct ProcessGroupStatus;

class ProcessGroupGloo : public Backend {
public:
    class AsyncWork;

    struct Options : public Backend::Options {
        explicit Options(std::chrono::milliseconds timeout = kBackendDefaultTimeout);
        std::vector<std::shared_ptr<::gloo::transport::Device>> devices;
        int threads{2};
    };

    static std::shared_ptr<::gloo::transport::Device> createDeviceForInterface(const std::string& interface, bool lazyInit);
    static std::shared_ptr<::gloo::transport::Device> createDeviceForHostname(const std::string& hostname, bool lazyInit);
    static std::shared_ptr<::gloo::transport::Device> createDefaultDevice(bool lazyInit);

    explicit ProcessGroupGloo(const c10::intrusive_ptr<Store>& store, int rank, int size, c10::intrusive_ptr<Options> options);
    ~ProcessGroupGloo() override;

protected:
    std::shared_ptr<::gloo::rendezvous::Store> store_;
    const c10::intrusive_ptr<Options> options_;
    std::vector<std::shared_ptr<::gloo::Context>> contexts_;
    std::vector<std::thread> threads_;
    bool stop_;
    std::uint32_t collectiveCounter_;
    std::deque<void*> workQueue_;
    std::vector<void*> workInProgress_;
    std::mutex workMutex_;
    std::condition_variable workProduceCV_;
    std::condition_variable workConsumeCV_;
    std::uint64_t seq_;
    std::size_t local_id_;
    std::shared_ptr<ProcessGroupStatus> pgStatus_;
};

static_assert(sizeof(ProcessGroupGloo) == 488, "what the deleting destructor of torch 2.11 frees (x86-64, libstdc++)");

}  // namespace c10d
