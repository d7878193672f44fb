#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing on a Debian 12 machine: packages of packaging/debian-packages.txt and LibTorch 2.11.0 in .deps.
#   packaging/setup.sh [--check-tools | --package-tools]
#     --check-tools    also installs what .ci/run needs (clang-format, clang-tidy, git, and all of --package-tools)
#     --package-tools  also installs what packaging/package.sh and packaging/check.sh need
# If nothing is missing, it ends within a second. HEDDLE_LIBTORCH=<a torch 2.11 folder> uses that LibTorch instead.
# pip's own settings (index, proxy, certificates, find-links) are respected.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"

install_packages() {  # $1: pattern of the groups wanted
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: packages are not checked (the list is packaging/debian-packages.txt)"
    return
  fi
  local wanted installed missing
  wanted=$(awk -v groups="$1" '!/^#/ && NF && $2 ~ groups {print $1}' "$root/packaging/debian-packages.txt" | sort)
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | awk '$1 == "installed" {print $2}' | sort)
  missing=$(comm -23 <(echo "$wanted") <(echo "$installed") | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "heddle: Debian packages are missing and only root can install them. Run this line, then start again:" >&2
    echo "sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends $missing'" >&2
    exit 1
  fi
  stage "installing Debian packages: $missing"
  local log=$root/.deps/apt.log
  mkdir -p "$root/.deps"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  # shellcheck disable=SC2086  # a list of words
  apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 $missing </dev/null >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; fail "apt-get install failed; its whole output: $log"; }
  finished
}

has_driver() { [ -e /proc/driver/nvidia/version ] || { /sbin/ldconfig -p 2>/dev/null || true; } | grep -q 'libcuda\.so\.1'; }

groups='^$'
case "${1:-}" in
  "") ;;
  --check-tools) groups='^(check|package)?$' ;;
  --package-tools) groups='^(package)?$' ;;
  *) usage "$0" "$1" ;;
esac
install_packages "$groups"
if [ -n "${HEDDLE_LIBTORCH:-}" ]; then
  if ! [ -e "$HEDDLE_LIBTORCH/lib/libtorch_cpu.so" ] || ! grep -q "'2\.11\.0" "$HEDDLE_LIBTORCH/version.py"; then
    fail "HEDDLE_LIBTORCH=$HEDDLE_LIBTORCH is not the 'torch' folder of torch 2.11.0; correct or unset it"
  fi
else
  [ "$(uname -m)" = x86_64 ] || fail "the LibTorch wheels are for x86-64; set HEDDLE_LIBTORCH to a torch 2.11.0 of your own"
  lists=("$root/resources/setup/libtorch.txt")
  if has_driver; then lists+=("$root/resources/setup/libtorch-cuda.txt"); fi
  python3 "$root/resources/setup/wheels.py" "$root/.deps/torch-2.11.0" "${lists[@]}"
fi
