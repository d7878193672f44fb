#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs the programs of build/release twice, the second time with another time zone, language, umask and home folder, and compares the
# packages byte by byte. The programs themselves are compiled only once.
#   packaging/reproducible.sh [--deb | --tar]
# Prints the SHA-256 of each package; the exit code is 1 if two differ. SOURCE_DATE_EPOCH replaces the time of the commit.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
case "$*" in "" | --deb | --tar) ;; *) usage "$0" "$*" ;; esac
twice=$(mktemp -d)
trap 'rm -rf "$twice"' EXIT
"$root/packaging/package.sh" "$@" "$twice/first"
sleep 2  # so that the two packings write files at different times
mkdir "$twice/home"
(umask 027 && env TZ=Asia/Kathmandu LC_ALL=C.UTF-8 LANG=de_DE HOME="$twice/home" "$root/packaging/package.sh" "$@" "$twice/second")
status=0
for package in "$twice"/first/*; do
  name=$(basename "$package")
  if cmp "$package" "$twice/second/$name"; then
    echo "$(sha256sum <"$package" | cut -d ' ' -f 1)  $name"
  else
    status=1
    say "$name differs when it is packed again"
  fi
done
[ "$(find "$twice/first" -type f | wc -l)" -eq "$(find "$twice/second" -type f | wc -l)" ] ||
  fail "the two packings have different numbers of packages"
exit "$status"
