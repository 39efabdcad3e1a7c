#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# git-bisect.sh OUT REPOSITORY CACHE TRIALS METRIC TOPOLOGY WORKLOAD [OPTION=VALUE…]
#
# A noisy regression by `git bisect run`, as people write it: TRIALS trials of good and of bad, a
# threshold half-way between their medians, and a commit is bad when the median of its TRIALS trials
# is above. One that does not build is skipped. Kernels are built by kernel-facts, so in the same slots
# and by the same rules as culprit's; every trial has a seed of its own.
#
# Leaves OUT/steps (one line a commit: commit, builds or not, trials, level) and OUT/first-bad, which is
# empty where there is no answer. Environment: PROGRAMS, where culprit and kernel-facts are; FRAGMENTS,
# of the kernel's configuration, with blanks between them.
set -euo pipefail

out=$1 repository=$2 cache=$3 trials=$4 metric=$5 topology=$6
shift 6

fragment_options() {
    local fragment
    for fragment in $FRAGMENTS; do printf -- '--fragment\n%s\n' "$fragment"; done
}

# The next seed of all trials of this bisection.
next_seed() {
    local seed=$(($(cat "$out/seed" 2>/dev/null || echo 0) + 1))
    echo "$seed" | tee "$out/seed"
}

one_trial() {
    "$PROGRAMS/culprit" try --json --kernel "$out/bzImage" --topology "$topology" \
        --engine deterministic --seed "$(next_seed)" "$@" |
        python3 -c 'import json, sys
print(next(m["value"] for m in json.load(sys.stdin)["metrics"] if m["name"] == sys.argv[1]))' "$metric"
}

# Prints the median of a commit's trials. Status 1: it does not build; 2: a trial failed.
level() {
    local commit=$1 options values
    shift
    mapfile -t options < <(fragment_options)
    if ! "$PROGRAMS/kernel-facts" build --repository "$repository" --cache "$cache" \
        --image "$out/bzImage" "${options[@]}" "$commit" >"$out/build.json"; then
        echo "$commit broken 0 -" >>"$out/steps"
        return 1
    fi
    values=$(for _ in $(seq "$trials"); do one_trial "$@" || exit 2; done | sort -g) || return 2
    echo "$values" | sed -n "$(((trials + 1) / 2))p" | tee "$out/level"
    echo "$commit built $trials $(cat "$out/level")" >>"$out/steps"
}

above() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }

if [ "${STEP:-}" ]; then
    status=0
    value=$(level "$(git rev-parse BISECT_HEAD)" "$@") || status=$?
    case $status in
    0) ! above "$value" "$(cat "$out/threshold")" ;;
    1) exit 125 ;;
    *) exit 128 ;; # ends git bisect run
    esac
    exit
fi

mkdir -p "$out"
: >"$out/steps"
: >"$out/first-bad"
good=$(level good "$@")
bad=$(level bad "$@")
if ! above "$bad" "$good"; then
    echo "good $good, bad $bad: the ends are the wrong way round" >&2
    exit 0
fi
awk -v a="$good" -v b="$bad" 'BEGIN { print (a + b) / 2 }' >"$out/threshold"
git clone --quiet --bare --shared "$repository" "$out/linux.git"
cd "$out/linux.git"
git bisect start bad good >"$out/git.log"
STEP=1 git bisect run "$(readlink -f "${BASH_SOURCE[0]}")" "$out" "$repository" "$cache" "$trials" \
    "$metric" "$topology" "$@" >>"$out/git.log" 2>&1 || true
sed -n 's/^\([0-9a-f]\{40\}\) is the first bad commit.*/\1/p' "$out/git.log" >"$out/first-bad"
