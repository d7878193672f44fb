#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds and runs every fast test.
#   packaging/test.sh [--dev | --sanitize | --sanitize-studio | --tsan | --tsan-studio] [CTEST-ARGUMENT…]
#     --dev        a build for debugging with the assertions of the standard library, in build/dev
#     --sanitize   everything but the studio under AddressSanitizer and UndefinedBehaviorSanitizer, in build/sanitize
#     --sanitize-studio  the studio under the same, in build/sanitize-studio
#     --tsan       the targets without torch under ThreadSanitizer, in build/tsan
#     --tsan-studio  the studio under the same, in build/tsan-studio
#   packaging/test.sh -R Philox       only the tests whose name matches
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
preset=release
case "${1:-}" in
  --dev) preset=dev; shift ;;
  --sanitize) preset=sanitize; shift ;;
  --sanitize-studio) preset=sanitize-studio; shift ;;
  --tsan) preset=tsan; shift ;;
  --tsan-studio) preset=tsan-studio; shift ;;
  -h | --help) usage "$0" "$1" ;;
esac
cd "$root"
# These options are set before the build, because the build starts each test program to list its suites.
# intercept_tls_get_addr=0: otherwise the leak check of a process with LibTorch crashes now and then.
# detect_odr_violation=0: a block's file is in heddle_core (descriptor) and in heddle_engine (module) on purpose.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_odr_violation=0:strict_string_checks=1:check_initialization_order=1:intercept_tls_get_addr=0}
export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$root/packaging/sanitize/leaks.txt:print_suppressions=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$root/packaging/sanitize/threads.txt:halt_on_error=1:second_deadlock_stack=1:die_after_fork=0}
packaging/setup.sh
packaging/build.sh "$preset"

stage "testing build/$preset"
result=0
ctest --preset "$preset" --parallel "$(nproc)" "$@" </dev/null || result=$?
# CTest counts suites only. The log of a suite says which tests it left out and why (missing data or a missing program).
awk '/^\[ RUN / {test = $NF} /: Skipped$/ {getline reason; print "heddle: skipped: " test ": " reason}' \
  "build/$preset/Testing/Temporary/LastTest.log" >&2
finished
exit "$result"
