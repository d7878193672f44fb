#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures (the first time) and builds one CMake preset. If nothing has changed, it ends within two seconds.
#   packaging/build.sh [PRESET [TARGET…]]     PRESET: release (default), dev, sanitize, sanitize-studio, tsan, tsan-studio
# HEDDLE_JOBS=N limits the compilers that run at once; the default is the number of processors, less where memory is short.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
case "${1:-}" in -*) usage "$0" "$1" ;; esac
preset=${1:-release}
shift || true
cd "$root"

libtorch=${HEDDLE_LIBTORCH:-$root/.deps/torch-2.11.0/torch}
if [ ! -e "build/$preset/build.ninja" ] || ! grep -qxF "HEDDLE_LIBTORCH:PATH=$libtorch" "build/$preset/CMakeCache.txt"; then
  stage "configuring build/$preset"
  cmake --preset "$preset" -DHEDDLE_LIBTORCH:PATH="$libtorch" >&2
  finished
fi
# The compiler takes up to 1.8 GB for a file that includes torch.
by_memory=$(awk '/^MemAvailable/ {print int($2 / 1900000)}' /proc/meminfo)
jobs=${HEDDLE_JOBS:-$(nproc)}
[ -n "${HEDDLE_JOBS:-}" ] || [ "$by_memory" -ge "$jobs" ] || jobs=$((by_memory > 0 ? by_memory : 1))
# What ccache must not look at for files with a precompiled header (its manual, "Precompiled headers").
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}
stage "building build/$preset with $jobs compilers at once"
ninja -C "build/$preset" -j "$jobs" "$@" >&2
finished
