// SPDX-License-Identifier: Apache-2.0
#include "engine/device/warnings.h"

#include "engine/device/torch_pch.h"

#include <algorithm>
#include <iterator>

namespace heddle {
namespace {

constexpr const char* kHarmless[] = {
    "there was no current CUDA context",    // the first product of autograd's thread; LibTorch sets the context then
    "not part of single contiguous chunk",  // each weight of a recurrent network is a parameter of its own
};

class RelevantWarnings final : public c10::WarningHandler {
public:
    void process(const c10::Warning& warning) override {
        const auto contains = [&](const char* text) { return warning.msg().find(text) != std::string::npos; };
        if (std::none_of(std::begin(kHarmless), std::end(kHarmless), contains)) c10::WarningHandler::process(warning);
    }
};

}  // namespace

void dropHarmlessWarnings() {
    static RelevantWarnings handler;  // it has no state: all threads may share it
    c10::WarningUtils::set_warning_handler(&handler);
}

}  // namespace heddle
