// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/offscreen.h"

#include <gtest/gtest.h>

int main(int argc, char** argv) {
    const auto application = heddle::ui::test::makeApplication(argc, argv);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
