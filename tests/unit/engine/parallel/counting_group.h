// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/parallel/group.h"

#include <cstdint>
#include <vector>

namespace heddle::test {

/// What a process has taken part in: collectives of all processes, and messages that it has sent to rank 0.
struct Collectives {
    std::int64_t allReduces = 0, allReduced = 0;  ///< their number, and bytes of the tensors
    std::int64_t broadcasts = 0, broadcast = 0;
    std::int64_t messages = 0, sent = 0;
    bool operator==(const Collectives&) const = default;
    Collectives operator-(const Collectives& other) const {
        return {allReduces - other.allReduces, allReduced - other.allReduced, broadcasts - other.broadcasts,
                broadcast - other.broadcast,   messages - other.messages,     sent - other.sent};
    }
};

/// Passes all on to another group, and counts. Not counted: the signs of life of a busy leader, which depend on the clock, and
/// the texts that are exchanged while all prepare, which go through the store.
class CountingGroup final : public Group {
public:
    explicit CountingGroup(Group& of) : of_(of) {}

    Collectives counts;
    std::vector<Collectives> atSteps;  ///< the counts when rank 0 has let all take a step, that word included

    const ProcessPlace& place() const override { return of_.place(); }
    void sum(const at::Tensor& values) override {
        ++counts.allReduces;
        counts.allReduced += static_cast<std::int64_t>(values.nbytes());
        of_.sum(values);
    }
    void copyFromLeader(const at::Tensor& values) override {
        ++counts.broadcasts;
        counts.broadcast += static_cast<std::int64_t>(values.nbytes());
        of_.copyFromLeader(values);
    }
    void offer(const Offer& offer) override {
        ++counts.messages;
        counts.sent += static_cast<std::int64_t>(sizeof offer);
        of_.offer(offer);
    }
    std::vector<Offer> offers() override { return of_.offers(); }
    void tell(const Word& word) override {
        count(word);
        of_.tell(word);
    }
    Word told() override {
        Word word = of_.told();
        count(word);
        return word;
    }
    std::vector<std::string> exchange(const std::string& text) override { return of_.exchange(text); }
    void beBusy() override { of_.beBusy(); }
    void resume() override { of_.resume(); }
    void requireAll() const override { of_.requireAll(); }
    bool isComplete() const override { return of_.isComplete(); }

private:
    void count(const Word& word) {
        constexpr std::int64_t kHeader = 5 * sizeof(std::int64_t);  ///< kind, length of the text, three numbers
        counts.broadcasts += word.text.empty() ? 1 : 2;
        counts.broadcast += kHeader + std::ssize(word.text);
        if (word.kind == Word::Kind::Step) atSteps.push_back(counts);
    }
    Group& of_;
};

}  // namespace heddle::test
