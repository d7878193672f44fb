// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/engine/parallel/ranks.h"

#include "engine/device/torch_pch.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

namespace heddle::test {
namespace {

std::uint16_t freePort() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    const bool isBound = bind(listener, any, length) == 0 && getsockname(listener, any, &length) == 0;
    close(listener);
    if (!isBound) throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}

/// LibTorch records the collectives of a process in a map that it changes without a lock (c10d::FlightRecorder). A process of a
/// run has one group on one thread; here the processes are threads of one.
void turnFlightRecorderOff() {
    static const int isSet = ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
    ASSERT_EQ(isSet, 0);
}

}  // namespace

std::vector<ProcessPlace> newPlaces(int size, std::chrono::milliseconds patience) {
    turnFlightRecorderOff();
    std::vector<ProcessPlace> places;
    const std::uint16_t port = freePort();
    for (int rank = 0; rank < size; ++rank) places.push_back({rank, size, rank, size, "127.0.0.1", port, patience});
    return places;
}

void onRanks(int size, const std::function<void(Group&)>& work, std::chrono::milliseconds patience) {
    std::vector<std::jthread> threads;
    for (const ProcessPlace& place : newPlaces(size, patience))
        threads.emplace_back([&work, place] {
            try {
                work(*joinGroup(place));
            } catch (const std::exception& error) {
                ADD_FAILURE() << "process " << place.rank << ": " << error.what();
            }
        });
}

}  // namespace heddle::test
