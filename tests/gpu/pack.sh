#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts what a machine with a GPU needs into one folder: the headless programs with kernels for its architecture, the tests of the
# engine, and the Debian libraries that they use. That machine needs Python with torch 2.11 for CUDA, and no network.
#   tests/gpu/pack.sh FOLDER [PEERS.PY]     PEERS.PY: PyTorch's programs, to be measured beside
# Then, there: OUT=RESULTS FOLDER/quarter.sh
# HEDDLE_CUDA_ARCHITECTURES: what the kernels are built for (default: 90).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/packaging/common.sh"
case "${1:-}" in '' | -*) usage "$0" "${1:---help}" ;; esac
folder=$(realpath -m "$1")
peers=${2:-}
export HEDDLE_LIBTORCH=${HEDDLE_LIBTORCH:-$root/.deps/torch-2.11.0/torch}
build=$root/build/release

"$root/packaging/build.sh" release
cmake -B "$build" -DHEDDLE_CUDA_ARCHITECTURES="${HEDDLE_CUDA_ARCHITECTURES:-90}" "$root" >&2
"$root/packaging/build.sh" release
rm -rf "$folder"
cmake --install "$build" --prefix "$folder" --component engine --strip >&2
cp "$build/bin/engine_test" "$folder/bin/"
strip "$folder/bin/engine_test"
cp "$root"/tests/gpu/{common,quarter,training}.sh "$folder/"
[ -z "$peers" ] || cp "$peers" "$folder/peers.py"

# Libraries of the system that a bare machine may lack: all but the C and C++ libraries and those of the wheels.
mkdir -p "$folder/lib/debian"
for program in "$folder"/bin/* "$folder"/lib/heddle/*.so; do ldd "$program" 2>/dev/null || true; done |
  awk '$3 ~ "^(/usr)?/lib/x86_64-linux-gnu/" {print $3}' | sort -u |
  grep -vE '/lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\+\+)\.so' | xargs -r -I {} cp -L {} "$folder/lib/debian/"
find "$folder/bin" "$folder/lib" -type f -exec gzip -9 {} + # to a third: common.sh unpacks them
say "$folder: $(du -sm "$folder" | cut -f1) MiB"
