// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/process_signals.h"

#include <signal.h>

namespace heddle::app {

void ignoreFileSizeSignal() { signal(SIGXFSZ, SIG_IGN); }

}  // namespace heddle::app
