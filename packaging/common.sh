# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts beside it: messages and the download of wheels. Messages go to stderr; stdout is for results.
say() { echo "heddle: $*" >&2; }
fail() { say "$*"; exit 1; }
stage() { stage_began=$SECONDS; say "$*…"; }
finished() { say "  done in $((SECONDS - stage_began)) s"; }
# The comment that opens a script is its help. $1: the script, $2: the argument it did not know (or --help)
usage() {
  awk 'NR > 2 && !/^#/ {exit} NR > 2 {sub(/^# ?/, ""); print}' "$1" >&2
  case "$2" in -h | --help) exit 0 ;; *) say "unknown argument: $2"; exit 2 ;; esac
}

# Unpacks wheels for CPython 3.11 on x86-64; the platform is named, so that any Python's pip will do.
# $1: folder; then what to fetch, in pip's words.
pip_into() {
  local python target=$1
  shift
  for python in python3 /usr/bin/python3 none; do
    "$python" -m pip --version >/dev/null 2>&1 && break
  done
  [ "$python" != none ] || fail "no Python with pip found; install python3-pip"
  mkdir -p "$target.tmp"
  # Unpacked beside its destination: /tmp may be small, or memory.
  TMPDIR=$target.tmp PIP_ROOT_USER_ACTION=ignore "$python" -m pip install --quiet --disable-pip-version-check \
    --no-cache-dir --no-compile --no-deps --only-binary=:all: --python-version 311 --implementation cp --abi cp311 \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_25_x86_64 \
    --platform manylinux_2_18_x86_64 --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 \
    --target "$target" "$@" </dev/null
}
