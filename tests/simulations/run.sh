#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Simulates studies whose truth is known: false differences, false equivalence, coverage of intervals, runs that are saved.
#   tests/simulations/run.sh [STUDIES=10000]
# Builds what it needs, prints one table and ends with 1 if a share is out of its bounds.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/packaging/common.sh"
case "${1:-}" in -h | --help) usage "$0" "$1" ;; esac
"$root/packaging/build.sh" release simulate
exec "$root/build/release/bin/simulate" "$@"
