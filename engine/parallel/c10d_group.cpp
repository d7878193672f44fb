// SPDX-License-Identifier: Apache-2.0
#include "engine/parallel/c10d_group.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
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

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::minutes kArrival{5};
constexpr std::chrono::milliseconds kConnection{30'000};
constexpr std::chrono::milliseconds kPoll{20};
/// How many signs of life a process gives within ProcessPlace::patience.
constexpr int kSignsOfLife = 9;
constexpr int kOfferTag = 1;
constexpr std::int64_t kHeader = 5;  ///< kind, length of the text, numbers

std::string processText(int rank, int size) { return "process " + std::to_string(rank) + " of " + std::to_string(size); }

[[noreturn]] void throwLost(const std::string& why, const ProcessPlace& place) {
    throw Error(ErrorCode::Resumable, "another process of the run has ended or does not answer: " + why,
                processText(place.rank, place.size),
                "start as many processes again with heddle resume: the run goes on from its last checkpoint");
}

/// The network that Gloo uses: GLOO_SOCKET_IFNAME names it; else that of this host's name, or the loopback if rank 0 is there.
std::shared_ptr<gloo::transport::Device> networkOf(const ProcessPlace& place) {
    if (const char* name = std::getenv("GLOO_SOCKET_IFNAME"); name && *name)
        return c10d::ProcessGroupGloo::createDeviceForInterface(name, false);
    if (place.address == "127.0.0.1" || place.address == "localhost")
        return c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1", false);
    return c10d::ProcessGroupGloo::createDefaultDevice(false);
}

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string aliveKey(int rank) { return "alive/" + std::to_string(rank); }

/// Calls `work` with the values in host memory, which Gloo needs, and copies the result back.
void onHost(const at::Tensor& values, const std::function<void(std::vector<at::Tensor>&)>& work) {
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> host{values.is_cpu() ? values : values.cpu()};
    work(host);
    if (!values.is_cpu()) values.copy_(host.front());
}

std::vector<std::uint8_t> bytesOf(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

struct C10dGroup::Connection {
    c10::intrusive_ptr<c10d::TCPStore> store;
    c10::intrusive_ptr<c10d::Backend> gloo;
    at::Tensor offered = at::zeros({std::tuple_size_v<Offer>}, at::kLong);  // must live until it is sent
    c10::intrusive_ptr<c10d::Work> sending;

    static void wait(const c10::intrusive_ptr<c10d::Work>& work) { work->wait(); }
};

C10dGroup::C10dGroup(const ProcessPlace& place) : place_(place), connection_(std::make_unique<Connection>()) {
    c10d::TCPStoreOptions options;
    options.port = place.port;
    options.isServer = place.isLeader();
    options.numWorkers = static_cast<std::size_t>(place.size);
    options.timeout = kArrival;
    try {
        connection_->store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    } catch (const std::exception& error) {
        throw Error(place.isLeader() ? ErrorCode::InvalidInput : ErrorCode::Resumable,
                    "the processes of the run do not find each other: " + firstLine(error.what()),
                    place.address + ":" + std::to_string(place.port),
                    "check that all processes were started, with the same MASTER_ADDR and a free MASTER_PORT");
    }
    guarded("connecting", [&] {
        auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo::Options>(std::max(place.patience, kConnection));
        gloo->devices.push_back(networkOf(place));
        connection_->store->setTimeout(kArrival);
        connection_->gloo =
            c10::make_intrusive<c10d::ProcessGroupGloo>(connection_->store, place.rank, place.size, std::move(gloo));
        connection_->gloo->setTimeout(place.patience);
        connection_->store->setTimeout(place.patience);
    });
    life_ = std::jthread([this](const std::stop_token& stop) { showLife(stop); });
}

C10dGroup::~C10dGroup() = default;

/// Calls `work`. If c10d throws, throws Error(Resumable): another process is lost.
void C10dGroup::guarded(const std::string& what, const std::function<void()>& work) const {
    try {
        work();
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        throwLost(what + ": " + firstLine(error.what()), place_);
    }
}

void C10dGroup::sum(const at::Tensor& values) {
    guarded("summing", [&] { onHost(values, [&](auto& host) { Connection::wait(connection_->gloo->allreduce(host)); }); });
}

void C10dGroup::copyFromLeader(const at::Tensor& values) {
    guarded("copying", [&] { onHost(values, [&](auto& host) { Connection::wait(connection_->gloo->broadcast(host)); }); });
}

void C10dGroup::offer(const Offer& offer) {
    guarded("offering", [&] {
        if (connection_->sending) Connection::wait(connection_->sending);
        std::copy(offer.begin(), offer.end(), connection_->offered.mutable_data_ptr<std::int64_t>());
        std::vector<at::Tensor> tensors{connection_->offered};
        connection_->sending = connection_->gloo->send(tensors, 0, kOfferTag);
    });
}

std::vector<Offer> C10dGroup::offers() {
    std::vector<Offer> offers;
    guarded("waiting for the others", [&] {
        std::vector<c10::intrusive_ptr<c10d::Work>> works;
        std::vector<at::Tensor> values;
        for (int rank = 1; rank < place_.size; ++rank) {
            std::vector<at::Tensor> one{at::empty({std::tuple_size_v<Offer>}, at::kLong)};
            works.push_back(connection_->gloo->recv(one, rank, kOfferTag));
            values.push_back(one.front());
        }
        for (const auto& work : works) Connection::wait(work);
        for (const at::Tensor& value : values) {
            Offer& offer = offers.emplace_back();
            const auto* from = value.const_data_ptr<std::int64_t>();
            std::copy(from, from + offer.size(), offer.begin());
        }
    });
    return offers;
}

void C10dGroup::tell(const Word& word) {
    requireAll();
    const std::lock_guard lock(mutex_);
    send(word);
}

/// The caller must hold the lock.
void C10dGroup::send(const Word& word) {
    guarded("telling the others", [&] {
        const at::Tensor header = at::empty({kHeader}, at::kLong);
        auto* values = header.mutable_data_ptr<std::int64_t>();
        values[0] = static_cast<std::int64_t>(word.kind);
        values[1] = std::ssize(word.text);
        std::copy(word.numbers.begin(), word.numbers.end(), values + 2);
        std::vector<at::Tensor> tensors{header};
        Connection::wait(connection_->gloo->broadcast(tensors));
        if (word.text.empty()) return;
        tensors = {at::empty({std::ssize(word.text)}, at::kByte)};
        std::copy(word.text.begin(), word.text.end(), tensors.front().mutable_data_ptr<std::uint8_t>());
        Connection::wait(connection_->gloo->broadcast(tensors));
    });
}

Word C10dGroup::told() {
    Word word;
    guarded("waiting for process 0", [&] {
        while (word.kind == Word::Kind::Alive) {
            std::vector<at::Tensor> tensors{at::empty({kHeader}, at::kLong)};
            Connection::wait(connection_->gloo->broadcast(tensors));
            const auto* values = tensors.front().const_data_ptr<std::int64_t>();
            word.kind = static_cast<Word::Kind>(values[0]);
            std::copy(values + 2, values + kHeader, word.numbers.begin());
            const std::int64_t length = values[1];
            if (length == 0) continue;
            std::vector<at::Tensor> text{at::empty({length}, at::kByte)};
            Connection::wait(connection_->gloo->broadcast(text));
            const auto* bytes = text.front().const_data_ptr<std::uint8_t>();
            word.text.assign(bytes, bytes + length);
        }
    });
    return word;
}

std::vector<std::string> C10dGroup::exchange(const std::string& text) {
    std::vector<std::string> texts;
    const std::string key = "exchange/" + std::to_string(exchanges_++) + "/";
    guarded("exchanging", [&] {
        connection_->store->set(key + std::to_string(place_.rank), bytesOf(text));
        for (int rank = 0; rank < place_.size; ++rank) {
            const std::string one = key + std::to_string(rank);
            awaitText(one, rank);
            const auto bytes = connection_->store->get(one);
            texts.emplace_back(bytes.begin(), bytes.end());
        }
        // The store is in rank 0, which may end because of these texts. It waits first until the others have read them, too.
        const auto end = Clock::now() + place_.patience;
        std::int64_t read = connection_->store->add(key + "read", 1);
        for (; place_.isLeader() && read < place_.size && Clock::now() < end; read = connection_->store->add(key + "read", 0))
            std::this_thread::sleep_for(kPoll);
    });
    return texts;
}

/// Waits for a key of the store as long as its process shows signs of life.
void C10dGroup::awaitText(const std::string& key, int rank) {
    std::vector<std::uint8_t> sign;
    auto seen = Clock::now();
    while (!connection_->store->check({key})) {
        if (connection_->store->check({aliveKey(rank)}))
            if (auto now = connection_->store->get(aliveKey(rank)); now != sign) {
                sign = std::move(now);
                seen = Clock::now();
            }
        if (Clock::now() - seen > place_.patience) throwLost(processText(rank, place_.size) + " does not answer", place_);
        std::this_thread::sleep_for(kPoll);
    }
}

/// Runs on a thread of its own. While all prepare, every process counts up its key in the store. Afterwards, while rank 0 is
/// busy, it sends Word::Alive to the others, which wait in told().
void C10dGroup::showLife(const std::stop_token& stop) {
    std::int64_t count = 0;
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        try {
            if (phase_ == Phase::Preparing)
                connection_->store->set(aliveKey(place_.rank), bytesOf(std::to_string(++count)));
            else if (phase_ == Phase::Busy)
                send({});
        } catch (const std::exception& error) {
            lost_ = firstLine(error.what());
            return;
        }
        changed_.wait_for(lock, stop, place_.patience / kSignsOfLife, [] { return false; });
    }
}

void C10dGroup::beBusy() {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::Busy;
}

void C10dGroup::resume() {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::Attentive;
}

void C10dGroup::requireAll() const {
    const std::lock_guard lock(mutex_);
    if (!lost_.empty()) throwLost(lost_, place_);
}

bool C10dGroup::isComplete() const {
    const std::lock_guard lock(mutex_);
    return lost_.empty();
}

}  // namespace heddle
