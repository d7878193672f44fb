# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts beside it: messages. They go to stderr; stdout is for results.
say() { echo "heddle: $*" >&2; }
fail() { say "$*"; exit 1; }
stage() { stage_began=$SECONDS; say "$*…"; }
finished() { say "  done in $((SECONDS - stage_began)) s"; }
# The comment that opens a script is its help. $1: the script, $2: the argument it did not know (or --help)
usage() {
  awk 'NR > 2 && !/^#/ {exit} NR > 2 {sub(/^# ?/, ""); print}' "$1" >&2
  case "$2" in -h | --help) exit 0 ;; *) say "unknown argument: $2"; exit 2 ;; esac
}
