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

# A pipe that nobody writes to, and a stream that nobody ends, are left when asked to.
# timeout(1) signals twice, which is one request. The leak check at the end of an instrumented program
# does not stand a signal.
stop_one() {
    local status
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" timeout --kill-after=10 1 \
        "$program" samples compare good "$1" <silent 2>errors
    status=$?
    if [[ $status -ne 124 || $(<errors) != "culprit: cancelled while $2 was read" ]]; then
        printf 'stopped at %s: status %s, %s\n' "$1" "$status" "$(<errors)"
        failures=$((failures + 1))
    fi
}
mkfifo silent
exec 9<>silent
stop_one silent silent
stop_one - "standard input"
exec 9<&-

# Streams that are closed are not taken for files of the program.
if "$program" samples compare good - <&- 2>errors || [[ $(<errors) != *"Bad file descriptor" ]]; then
    printf 'a closed input: %s\n' "$(<errors)"
    failures=$((failures + 1))
fi
if "$program" samples compare good bad >&- 2>errors ||
    [[ $(<errors) != "culprit: cannot write to the standard output" ]]; then
    printf 'a closed output: %s\n' "$(<errors)"
    failures=$((failures + 1))
fi

# Names of files may be any bytes; what is printed is safe on a terminal, and JSON.
cp good $'a\e[31m\xff'
check 0 $'base a?[31m\xff: 5 trials' $'a\e[31m\xff' good
check 5 "culprit: cannot open b?[31m: No such file" good $'b\e[31m'
check 4 "not JSON: invalid token near '?'" good - <<<$'[1, \e[31m]'
for name in $'a\e[31m\xff' $'none\xff'; do
    if ! "$program" samples compare good "$name" --json 2>/dev/null | python3 -c '
import json, sys
document = json.load(sys.stdin)
text = document["others"][0]["file"] if "others" in document else document["error"]["message"]
assert "?" in text, text
'; then
        echo "--json fails on a file name"
        failures=$((failures + 1))
    fi
done
# What no statistics can be made of has an answer: no NaN, and a sentence.
check 4 'standard input:2: "NaN" is not a number' good - <<<$'1\nNaN'
check 4 'standard input:1: "-inf" is not a number' good - <<<$'-inf'
check 4 'no samples' good - <<<''
check 4 '"value"' good - <<<'[{"trial": 1, "value": 5}, {"trial": 2}]'
printf '%s\n' 7 7 7 7 7 >equal
check 0 'No difference was shown between equal and equal: p = 1.00' equal equal
check 2 'needs' equal - <<<7
! "$program" samples compare equal equal --json | grep -qi 'nan\|inf' || failures=$((failures + 1))
# The sum of these passes the range of a number.
printf '%s\n' 1e308 1e308 1e308 -1e308 -1e308 -1e308 >wide
printf '%s\n' 0 0 0 0 0 0 >zero
check 0 '"mean": null' wide zero --json
exit $((failures > 0))
