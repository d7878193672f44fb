// SPDX-License-Identifier: Apache-2.0
// Exports what an engine library exports, and knows the identity of another build.
#include <cstdint>

extern "C" __attribute__((visibility("default"))) void* heddleCreateEngine(std::uint64_t identity) {
    static int engine = 0;
    return identity == 0 ? &engine : nullptr;
}
