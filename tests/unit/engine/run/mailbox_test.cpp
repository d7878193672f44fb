// SPDX-License-Identifier: Apache-2.0
#include "engine/run/mailbox.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

namespace heddle {
namespace {

using namespace std::chrono_literals;

Command question(std::uint64_t number, const std::string& sender = "user") { return AskCommand{number, {{"ask", sender}}}; }

const AskCommand& asked(const std::optional<Command>& command) { return std::get<AskCommand>(command.value()); }

TEST(Mailbox, KeepsOrder) {
    Mailbox box;
    EXPECT_FALSE(box.hasCommand());
    EXPECT_FALSE(box.take());
    for (std::uint64_t i = 0; i < 5; ++i) box.put(question(i));
    EXPECT_TRUE(box.hasCommand());
    for (std::uint64_t i = 0; i < 5; ++i) {
        const auto command = box.take();
        ASSERT_TRUE(command);
        EXPECT_EQ(asked(command).number, i);
        EXPECT_EQ(asked(command).question.at("ask"), "user");
    }
    EXPECT_FALSE(box.hasCommand());
    EXPECT_FALSE(box.take());
}

TEST(Mailbox, WaitsNoLongerThanAsked) {
    Mailbox box;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(box.waitFor(20ms));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
}

TEST(Mailbox, PutWakesTheWaiter) {
    Mailbox box;
    std::thread sender([&] {
        std::this_thread::sleep_for(10ms);
        box.put(ResumeCommand{"user"});
    });
    const auto start = std::chrono::steady_clock::now();
    const auto command = box.waitFor(30s);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
    sender.join();
    ASSERT_TRUE(command);
    EXPECT_TRUE(std::holds_alternative<ResumeCommand>(*command));
}

TEST(Mailbox, LosesNothingFromManySendersAndKeepsEachOnesOrder) {
    constexpr int kSenders = 4;
    constexpr std::uint64_t kEach = 500;
    Mailbox box;
    std::vector<std::thread> senders;
    for (int s = 0; s < kSenders; ++s)
        senders.emplace_back([&box, s] {
            for (std::uint64_t i = 0; i < kEach; ++i) box.put(question(i, std::to_string(s)));
        });
    std::map<std::string, std::uint64_t> next;
    for (std::uint64_t received = 0; received < kSenders * kEach; ++received) {
        const auto command = box.waitFor(30s);
        ASSERT_TRUE(command) << "lost after " << received;
        const std::string sender = asked(command).question.at("ask");
        EXPECT_EQ(asked(command).number, next[sender]++) << "sender " << sender;
    }
    for (auto& sender : senders) sender.join();
    EXPECT_FALSE(box.hasCommand());
    EXPECT_EQ(next.size(), static_cast<std::size_t>(kSenders));
}

}  // namespace
}  // namespace heddle
