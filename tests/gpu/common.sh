# SPDX-License-Identifier: Apache-2.0
# What the scripts for a GPU share. They are read by `source`, beside the folders bin, lib and share that tests/gpu/pack.sh
# made. The machine needs Python with torch 2.11 for CUDA, and no network.
#   results   the folder of the results, made if it is missing: the script's first argument
#   heddle    the program
#   part NAME SECONDS COMMAND…
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=$(realpath -m "${1:?where do the results go? $(basename "$0") RESULTS}")
mkdir -p "$results"
cd "$here" || exit 1
find bin lib -name '*.gz' -exec gunzip -f {} +
HEDDLE_LIBTORCH=${HEDDLE_LIBTORCH:-$(python3 -c 'import torch; print(torch.__path__[0])')} || exit 1
export HEDDLE_LIBTORCH
export LD_LIBRARY_PATH=$here/lib/heddle:$HEDDLE_LIBTORCH/lib:$here/lib/debian${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export CUBLAS_WORKSPACE_CONFIG=:4096:8
heddle=$here/bin/heddle
script=$(basename "$0" .sh)
deadline=$((SECONDS + ${HEDDLE_GPU_SECONDS:-570}))

# Runs a command for at most so many seconds, and not beyond the script's deadline. Its output goes to SCRIPT-NAME.txt as it
# comes; how it ended goes to summary.txt. A part that fails does not stop the others. A part that no time is left for says so.
part() {
  local name=$1 limit=$2 began=$SECONDS left=$((deadline - SECONDS)) status
  shift 2
  if [ "$left" -lt 5 ]; then
    echo "$script, $name: not started, the script's time is over" | tee -a "$results/summary.txt"
    return 0
  fi
  [ "$limit" -le "$left" ] || limit=$left
  timeout -k 10 "$limit" "$@" >"$results/$script-$name.txt" 2>&1
  status=$?
  echo "$script, $name: exit $status after $((SECONDS - began)) s" | tee -a "$results/summary.txt"
}
