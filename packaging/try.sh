#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the packages and tries them on bare machines: the .deb in a new Debian 12, the archive in a new Debian 13, as a user without
# root. On each it runs `heddle setup`, trains the sample, runs `heddle verify --quick` and takes pictures of the studio. It then
# upgrades and removes the packages and checks that the runs are unchanged. Prints how long each part took, and the time from the
# package to the first recorded step of the training, at which its curve begins.
#   packaging/try.sh [--packed] [--archive] [--keep] [FOLDER]
#     FOLDER     for the two roots, 8 GB (default /tmp/heddle-try); removed at the end
#     --packed   tries the packages in build/packages, instead of packing anew
#     --archive  tries only the archive, on Debian 13
#     --keep     leaves the roots there for the next call
# Needs root, debootstrap and the network. Settings of apt, pip and certificates of this machine are copied into the roots.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
keep=no packed=no only=all try=/tmp/heddle-try
for argument in "$@"; do
  case "$argument" in
    --keep) keep=yes ;;
    --packed) packed=yes ;;
    --archive) only=archive ;;
    -*) usage "$0" "$argument" ;;
    *) try=$(realpath -m "$argument") ;;
  esac
done
[ "$(id -u)" -eq 0 ] || fail "only root can make other roots"
command -v debootstrap >/dev/null || fail "install debootstrap"
packages=$root/build/packages
mirror=${HEDDLE_MIRROR:-$(grep -hm1 '^URIs' /etc/apt/sources.list.d/debian.sources 2>/dev/null | awk '{print $NF}')}
mirror=${mirror:-http://deb.debian.org/debian}

make_root() {  # $1: suite
  local at=$try/$1
  [ ! -e "$at/etc/heddle-try" ] || return 0
  rm -rf --one-file-system "$at"
  mkdir -p "$try"
  stage "making a bare Debian root: $1"
  debootstrap --variant=minbase --include=ca-certificates "$1" "$at" "$mirror" >"$try/$1.log" 2>&1 || { tail -5 "$try/$1.log" >&2; exit 1; }
  cp -a /etc/apt/apt.conf.d/99* "$at/etc/apt/apt.conf.d/" 2>/dev/null || true
  cp -a /etc/pip.conf "$at/etc/" 2>/dev/null || true
  cp -aL /etc/ssl/certs/ca-certificates.crt "$at/etc/ssl/certs/"
  cp -L /etc/resolv.conf /etc/hosts "$at/etc/"
  chroot "$at" useradd --create-home --home-dir /srv/weaver --shell /bin/bash weaver
  touch "$at/etc/heddle-try"
  finished
}

# Runs a line in a root; of this environment it gets only pip's settings. The mounts disappear when it ends.
inside() {  # $1: suite, $2: user, $3: line; more: words for unshare
  local at=$try/$1 user=$2 line=$3
  local settings=()
  shift 3
  mapfile -t settings < <(env | grep -E '^(PIP_|SSL_CERT|REQUESTS_CA|CURL_CA|https?_proxy)' | grep -v FIND_LINKS || true)
  # shellcheck disable=SC2016  # the inner bash expands them
  unshare --mount "$@" bash -euc 'at=$1; user=$2; line=$3; shift 3
    mount -t proc proc "$at/proc"; mount --rbind /dev "$at/dev"
    exec env -i TERM=dumb LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" \
      chroot "$at" su "$user" --whitelist-environment="$(env | sed -n "s/=.*//p" | paste -sd,)" -l -c "$line"' \
    _ "$at" "$user" "$line" "${settings[@]}"
}

report=()
trap 'printf "%s\n" "${report[@]}"' EXIT
name_of() { case "$1" in bookworm) echo "Debian 12" ;; *) echo "Debian 13" ;; esac; }
took() { report+=("$(printf '%5d.%d s  %s' $(($1 / 10)) $(($1 % 10)) "$2")"); }  # $1: tenths of a second, $2: what
timed() {  # $1: what; then a command
  local what=$1 began
  shift
  began=$(date +%s%N)
  "$@"
  took $((($(date +%s%N) - began) / 100000000)) "$what"
}

# Takes pictures of all pages of the studio and checks that each is a picture.
pictures() {  # $1: suite, $2: command
  inside "$1" weaver "rm -rf shots; QT_QPA_PLATFORM=offscreen $2 --shots shots runs.heddle"
  local count
  count=$(find "$try/$1/srv/weaver/shots" -name '*.png' -size +10k | wc -l)
  [ "$count" -ge 5 ] || fail "$1: $count pictures of the studio instead of 5"
}

# Trains the sample. The report gets the times until the first step is in the database, from the start of `heddle train` and from $4.
train() {  # $1: suite, $2: command, $3: folder of the resources, $4: time in ns at which the installation began
  local installed=$((($(date +%s%N) - $4) / 100000000))
  inside "$1" weaver "rm -rf runs.heddle*; began=\$(date +%s%N); $2 train $3/sample/eau-base.json --epochs 1 --name try >train.log 2>&1 &
    training=\$!
    until $2 runs show try --json 2>/dev/null | grep -q '\"steps\": [1-9]'; do
      kill -0 \$training || { cat train.log; exit 1; }; sleep 0.05; done
    echo \$(( (\$(date +%s%N) - began) / 100000000 )) >first
    wait \$training"
  took "$(<"$try/$1/srv/weaver/first")" "$(name_of "$1"): from heddle train to its first step in the database"
  took $((installed + $(<"$try/$1/srv/weaver/first"))) "$(name_of "$1"): FROM THE PACKAGE TO THE FIRST LIVE CURVE, all of the above"
}

sums() { (cd "$try/bookworm/srv/weaver" && find runs.heddle* -type f | sort | xargs sha256sum); }

try_package() {
  local at=$try/bookworm before began
  rm -rf "$at/srv/weaver/.local/share/heddle"
  mkdir -p "$at/packages"
  cp "$packages"/*.deb "$at/packages/"
  inside bookworm root "apt-get update -qq; apt-get install -y -qq --download-only /packages/*.deb" >"$try/apt.log" 2>&1
  began=$(date +%s%N)
  timed "Debian 12: install the packages" inside bookworm root "apt-get install -y -qq /packages/*.deb" >>"$try/apt.log" 2>&1
  inside bookworm weaver "heddle doctor >doctor.txt && exit 1; grep -q 'run heddle setup' doctor.txt; heddle verify 2>&1 | grep 'run heddle setup'"
  timed "Debian 12: heddle setup, with its download" inside bookworm weaver "heddle setup --cpu"
  timed "Debian 12: train the sample to its end" train bookworm heddle /usr/share/heddle "$began"
  timed "Debian 12: heddle setup again" inside bookworm weaver "heddle setup --cpu"
  timed "Debian 12: heddle verify --quick" inside bookworm weaver "set -o pipefail; heddle verify --quick | tail -n 1"
  timed "Debian 12: pictures of the studio" pictures bookworm heddle-studio
  inside bookworm weaver "man -w heddle-train >/dev/null 2>&1 || ls /usr/share/man/man1/heddle-train.1.gz"
  before=$(sums)
  newer
  inside bookworm root "apt-get install -y -qq /packages/newer/*.deb; dpkg-query -W -f='\${Package} \${Version}\n' heddle heddle-studio" 2>/dev/null
  inside bookworm weaver "heddle runs list"
  inside bookworm root "apt-get purge -y -qq heddle heddle-studio" >>"$try/apt.log" 2>&1
  [ "$before" = "$(sums)" ] || fail "upgrade or removal changed the runs"
  [ -d "$at/srv/weaver/.local/share/heddle/torch-2.11.0" ] || fail "removal took LibTorch from a user"
  ! find "$at/usr" -path '*heddle*' | grep . || fail "removal left files"
  say "upgraded and removed: the runs are as they were"
}

# Makes the same packages with the number of a next version.
newer() {
  local package
  mkdir -p "$try/bookworm/packages/newer"
  for package in "$packages"/*.deb; do
    rm -rf "$try/newer"
    dpkg-deb -R "$package" "$try/newer"
    sed -i -E 's/^(Version: .*)$/\1+1/; s/(heddle \(= [^)]*)\)/\1+1)/' "$try/newer/DEBIAN/control"
    dpkg-deb --root-owner-group -b "$try/newer" "$try/bookworm/packages/newer/" >/dev/null
  done
  rm -rf "$try/newer"
}

try_archive() {
  local at=$try/trixie home=/srv/weaver began
  # What a machine with a display has (resources/help/install.md), and a Python with pip.
  inside trixie root "apt-get update -qq; apt-get install -y -qq --no-install-recommends python3 python3-pip libx11-6 libx11-xcb1 libxcb1 \
    libfontconfig1 libfreetype6 libharfbuzz0b libegl1 libgl1 libopengl0 fonts-dejavu-core" >>"$try/apt.log" 2>&1
  rm -rf "$at$home"/heddle* "$at$home/.local/share/heddle" "$at/wheels"
  mkdir "$at/wheels"
  cp "$root/resources/setup/libtorch.txt" "$at/"
  stage "collecting the wheels, for a machine without a network"
  inside trixie root "python3 -m pip download -q --no-deps --dest /wheels --only-binary=:all: --python-version 311 --implementation cp --abi cp311 \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux_2_18_x86_64 \
    --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 --require-hashes -r /libtorch.txt"
  finished
  began=$(date +%s%N)
  timed "Debian 13: unpack the archive" chroot "$at" su weaver -l -c "tar xzf -" <"$(echo "$packages"/*.tar.gz)"
  mv "$at$home"/heddle-*-linux-x86_64 "$at$home/heddle"
  timed "Debian 13: heddle setup --from, no network" inside trixie weaver "heddle/bin/heddle setup --cpu --from /wheels" --net
  timed "Debian 13: train the sample to its end" train trixie heddle/bin/heddle heddle/share/heddle "$began"
  timed "Debian 13: heddle verify --quick" inside trixie weaver "set -o pipefail; heddle/bin/heddle verify --quick | tail -n 1"
  timed "Debian 13: pictures of the studio" pictures trixie heddle/bin/heddle-studio
}

[ "$packed" = yes ] || "$root/packaging/package.sh"
if [ "$only" = all ]; then
  make_root bookworm
  try_package
fi
make_root trixie
try_archive
[ "$keep" = yes ] || rm -rf --one-file-system "$try"
