#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and answers a question: do Evaluator Adjuster Units and gated residuals help the plain
# Transformer on the sample corpus? The study (resources/studies/sample.json) trains the baseline, the gated variant and a baseline as
# large as the variant, four seeds each, into runs.heddle, and ends with the verdict and a report in the folder report.
# Where there is a display, the studio opens and shows the training.
#   packaging/run.sh [--headless]
# Started again, it goes on where it was interrupted; if the study is finished, it prints the verdict at once.
# With HEDDLE_DB=<file.heddle> it trains the study in another database.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
headless=no
for argument in "$@"; do
  case "$argument" in
    --headless) headless=yes ;;
    *) usage "$0" "$argument" ;;
  esac
done
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || headless=yes
cd "$root"
export HEDDLE_DB=${HEDDLE_DB:-$root/runs.heddle}
began=$SECONDS

answer() {
  stage "the study: 12 runs of 422 steps, a minute and a half on two free cores"
  build/release/bin/heddle study resources/studies/sample.json --report report
  finished
  say "report: $root/report/report.html · database: $HEDDLE_DB · all together $((SECONDS - began)) s"
}

# The studio beside the training, which goes on when the window is closed first.
show_and_answer() {
  local training
  answer &
  training=$!
  until [ -e "$HEDDLE_DB" ] || ! kill -0 "$training" 2>/dev/null; do sleep 0.2; done
  build/release/bin/heddle-studio "$HEDDLE_DB" --page watch || say "the studio ended with $?; the training goes on"
  wait "$training"
}

packaging/setup.sh
if [ "$headless" = yes ]; then
  packaging/build.sh release heddle
  answer
else
  packaging/build.sh release heddle heddle-studio
  show_and_answer
fi
