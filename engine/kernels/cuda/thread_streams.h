// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

namespace heddle {

/// Streams of devices, each of which at most one living thread uses: what one thread launches must not get into the graph that
/// another one captures. A thread keeps its stream of a device; after its end the next thread gets it, because the allocator
/// reuses memory per stream. `Stream` is any type that can be copied.
template <class Stream>
class ThreadStreams {
public:
    /// The calling thread's stream of a device. `make(device)` makes one where all that exist are in use.
    template <class Make>
    static Stream of(int device, const Make& make) {
        thread_local Used used;
        const auto mine = used.streams.find(device);
        if (mine != used.streams.end()) return mine->second;
        const Stream stream = taken(device, make);
        used.streams.emplace(device, stream);
        return stream;
    }

private:
    struct Free {
        std::mutex mutex;
        std::multimap<int, Stream> streams;
    };
    struct Used {
        std::map<int, Stream> streams;
        Used() = default;
        Used(const Used&) = delete;
        Used& operator=(const Used&) = delete;
        ~Used() {
            const std::lock_guard lock(free().mutex);
            free().streams.insert(streams.begin(), streams.end());
        }
    };
    /// Never destroyed: threads may outlive the statics.
    static Free& free() {
        static Free* const kFree = new Free;
        return *kFree;
    }
    template <class Make>
    static Stream taken(int device, const Make& make) {
        const std::lock_guard lock(free().mutex);
        const auto found = free().streams.find(device);
        if (found == free().streams.end()) return make(device);
        const Stream stream = found->second;
        free().streams.erase(found);
        return stream;
    }
};

}  // namespace heddle
