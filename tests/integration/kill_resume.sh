#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kills a training run N times at random moments with SIGKILL, resumes it each time, and compares the final weights with those
# of a run that was never interrupted. Prints a table; exit code 1 if anything differs.
#
#   tests/integration/kill_resume.sh [N=20] [HEDDLE=build/release/bin/heddle] [SPEC.json] [--set …]
#
# Without SPEC.json: eau-full, small, on the sample corpus.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
kills=${1:-20}
heddle=${2:-$root/build/release/bin/heddle}
if [ $# -ge 3 ]; then
    shift 2
else
    set -- "$root/resources/sample/eau-full.json" --set train.epochs=0 --steps 600 --set train.checkpoint_every=50
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
field() { sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" | head -n 1; }
last_weights() { # of the checkpoint marked last, out of a heddle.run/1 document
    tr -d ' \n' <"$1" | grep -o '"kind":"last"[^}]*' | sed 's/.*"weights_sha256":"\([0-9a-f]*\)".*/\1/'
}

echo "uninterrupted run …"
start=$(date +%s%N)
"$heddle" train "$@" --db "$work/straight.heddle" --json >"$work/straight.json" 2>"$work/straight.log"
seconds=$(awk -v n=$(($(date +%s%N) - start)) 'BEGIN { printf "%.1f", n / 1e9 }')
expected=$(last_weights "$work/straight.json")
echo "  $seconds s, weights $expected"

printf '%5s  %9s  %9s  %s\n' kill 'after s' 'at step' verdict
run=
killed=0
while [ "$killed" -lt "$kills" ]; do
    if [ -z "$run" ]; then
        "$heddle" train "$@" --db "$work/killed.heddle" --json >"$work/out.json" 2>"$work/log" &
    else
        "$heddle" resume "$run" --db "$work/killed.heddle" --json >"$work/out.json" 2>"$work/log" &
    fi
    child=$!
    # Anywhere in the life of the process: while preparing, in a step, in an evaluation, while a checkpoint is written.
    wait_for=$(od -An -N4 -tu4 /dev/urandom | awk -v s="$seconds" '{ printf "%.2f", 0.3 + ($1 / 4294967296) * s * 0.5 }')
    sleep "$wait_for"
    if ! kill -9 "$child" 2>/dev/null; then
        wait "$child" || { cat "$work/log" >&2; exit 1; }
        # It was done before the shot: begin anew with a fresh run, and count nothing.
        got=$(last_weights "$work/out.json")
        [ "$got" = "$expected" ] || { echo "DIFFERENT weights $got"; exit 1; }
        printf '%5s  %9s  %9s  %s\n' - - done 'equal weights; a new run'
        run=
        rm -rf "$work"/killed.heddle*
        continue
    fi
    wait "$child" 2>/dev/null || true
    killed=$((killed + 1))
    if "$heddle" runs list --db "$work/killed.heddle" --json >"$work/list.json" 2>/dev/null; then
        run=$(field run <"$work/list.json")
        step=$(field steps <"$work/list.json")
    else
        step=-
    fi
    [ -n "$run" ] || rm -rf "$work"/killed.heddle*
    printf '%5s  %9s  %9s  %s\n' "$killed" "$wait_for" "${step:--}" "$(grep -o 'resume verified[^"]*\|differs[^"]*' "$work/log" | head -n 1)"
done

if [ -n "$run" ]; then
    "$heddle" resume "$run" --db "$work/killed.heddle" --json >"$work/out.json" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
else
    "$heddle" train "$@" --db "$work/killed.heddle" --json >"$work/out.json" 2>"$work/log"
fi
got=$(last_weights "$work/out.json")
if grep -q '"replay": *"different"' "$work/out.json"; then
    echo "FAILED: a resume computed other values than were recorded"
    exit 1
fi
if [ "$got" = "$expected" ]; then
    echo "passed: after $kills kills the weights are $got, equal to the uninterrupted run's"
else
    echo "FAILED: weights $got, expected $expected"
    exit 1
fi
