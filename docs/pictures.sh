#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes the pictures of the guide, docs/pictures/PAGE.png. They show the pages of the built studio with the runs of DATABASE.
#   docs/pictures.sh [DATABASE]     default: runs.heddle beside README.md, where packaging/run.sh trains the sample study
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
case "${1:-}" in -*) usage "$0" "$1" ;; esac
database=${1:-$root/runs.heddle}
[ -e "$database" ] || fail "$database does not exist; make it with packaging/run.sh, or name another database"
shots=$(mktemp -d)
trap 'rm -rf "$shots"' EXIT
"$root/build/release/bin/heddle-studio" --shots "$shots" --theme light --size 1440x900 "$database"
for picture in "$shots"/*.png; do
  name=${picture##*/}
  cp "$picture" "$root/docs/pictures/${name%%-*}.png"
done
