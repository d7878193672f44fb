#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, trains the plain Transformer and the gated variant (EAU + GRC) on the sample corpus into
# runs.heddle, and ends with the comparison of the two: a table here, the curves in runs.svg.
#   packaging/run.sh [--again]
# Started again, it shows the finished comparison; a run that was interrupted is resumed; --again trains anew, beside the old runs.
# HEDDLE_DB=<file.heddle> uses another database.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
again=no
case "${1:-}" in
  "") ;;
  --again) again=yes ;;
  *) usage "$0" "$1" ;;
esac
cd "$root"
export HEDDLE_DB=${HEDDLE_DB:-$root/runs.heddle}
heddle=build/release/bin/heddle
began=$SECONDS

# The newest run of a name, as "id state"; nothing where there is none. $1: name
newest_run() {
  [ -e "$HEDDLE_DB" ] || return 0
  "$heddle" runs list --json | python3 -c '
import json, sys
runs = [run for run in json.load(sys.stdin)["runs"] if run["name"] == sys.argv[1]]
if runs:  # oldest first
    print(runs[-1]["run"], runs[-1]["state"])' "$1"
}

# Leaves a completed run of that name in the database. $1: name, also of its spec in resources/sample
complete_run() {
  local id="" state=""
  if [ "$again" = no ]; then read -r id state < <(newest_run "$1") || true; fi
  case "$state" in
    completed) say "$1 is already trained (run $id)" ;;
    "")
      stage "training $1 on the sample corpus"
      "$heddle" train "resources/sample/$1.json" --name "$1" >/dev/null
      finished ;;
    *)
      stage "resuming $1 (run $id)"
      "$heddle" resume "$id" >/dev/null
      finished ;;
  esac
}

packaging/setup.sh
packaging/build.sh release heddle
complete_run eau-base
complete_run eau-full
read -r base _ < <(newest_run eau-base)
read -r full _ < <(newest_run eau-full)
"$heddle" compare "$base" "$full" --baseline "$base" --svg runs.svg
say "curves: $root/runs.svg · database: $HEDDLE_DB · all together $((SECONDS - began)) s"
