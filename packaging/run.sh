#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and trains the plain Transformer and the gated variant (EAU + GRC) on the sample corpus into
# runs.heddle. Where there is a display, the studio opens and shows the training; without one, or with --headless, it ends with the
# comparison of the two: a table here, the curves in runs.svg.
#   packaging/run.sh [--again] [--headless]
# Started again, it shows the finished comparison; a run that was interrupted is resumed; --again trains anew, beside the old runs.
# HEDDLE_DB=<file.heddle> uses another database.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
again=no headless=no
for argument in "$@"; do
  case "$argument" in
    --again) again=yes ;;
    --headless) headless=yes ;;
    *) usage "$0" "$argument" ;;
  esac
done
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || headless=yes
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
      stage "training $1 on the sample corpus: about 1,700 steps, half a minute on two free cores"
      "$heddle" train "resources/sample/$1.json" --name "$1" >/dev/null
      finished ;;
    *)
      stage "resuming $1 (run $id)"
      "$heddle" resume "$id" >/dev/null
      finished ;;
  esac
}

# Both runs, one after the other, and their comparison.
train_and_compare() {
  local base full
  complete_run eau-base
  complete_run eau-full
  read -r base _ < <(newest_run eau-base)
  read -r full _ < <(newest_run eau-full)
  "$heddle" compare "$base" "$full" --baseline "$base" --svg runs.svg
  say "curves: $root/runs.svg · database: $HEDDLE_DB · all together $((SECONDS - began)) s"
}

# The studio beside the training, which goes on when the window is closed first.
show_and_train() {
  local training
  train_and_compare &
  training=$!
  until [ -e "$HEDDLE_DB" ] || ! kill -0 "$training" 2>/dev/null; do sleep 0.2; done
  build/release/bin/heddle-studio "$HEDDLE_DB" --page watch || say "the studio ended with $?; the training goes on"
  wait "$training"
}

packaging/setup.sh
if [ "$headless" = yes ]; then
  packaging/build.sh release heddle
  train_and_compare
else
  packaging/build.sh release heddle heddle-studio
  show_and_train
fi
