#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test_samples.sh PROGRAM: what `samples compare` of the built program prints and returns.
set -u
program=$1
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# check STATUS WANTED ARGUMENT …: the standard input is passed on; WANTED must stand in the output.
check() {
    local wanted_status=$1 wanted=$2 output status
    shift 2
    output=$("$program" samples compare "$@" 2>&1)
    status=$?
    if [[ $status -ne $wanted_status || $output != *"$wanted"* ]]; then
        printf 'samples compare %s: status %s, wanted %s; wanted "%s" in\n%s\n' "$*" "$status" \
            "$wanted_status" "$wanted" "$output"
        failures=$((failures + 1))
    fi
}

printf '%s\n' 7288 12880 2516 8880 5120 >good
printf '%s\n' 15984 16080 15792 16144 15936 >bad
printf '%s\n' 1 2 3 >few
printf '%s\n' 3 2 1 >three

check 1 "bad is worse than good, by +119.3%" good bad --better lower
check 0 "bad is better than good, by +119.3%" good bad --better=higher
check 2 "needs 2 more   standard input" good bad - <three
check 2 "few and standard input cannot be told apart by 3 and 3 trials" few - <three
check 0 "No difference was shown between good and good: p = 1.00" good good
check 4 "culprit: standard input:2: \"x\" is not a number" good - <<<$'1\nx'
check 5 "culprit: cannot open nothing" good nothing
check 3 "culprit: /dev/zero is longer than 67108864 bytes" good /dev/zero
# What another program writes into a pipe is read to its end.
check 1 "base good: 5 trials" good - --better lower < <(
    for trial in a b c d e f; do yes "$trial 20000" | head -n 20000; done
)
if ! "$program" samples compare good bad --json | python3 -c '
import json, sys
document = json.load(sys.stdin)
comparison = document["others"][0]["comparison"]
assert comparison["verdict"] == "differs", comparison
assert abs(comparison["p"] - 2 / 252) < 1e-12, comparison
assert document["base"]["n"] == 5 and document["base"]["file"] == "good", document
'; then
    echo "--json is not as it should be"
    failures=$((failures + 1))
fi
exit $((failures > 0))
