#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test_completion.sh PROGRAM COMPLETION: what bash would offer after some beginnings.
set -u
program=$1
failures=0

# shellcheck source=completions/culprit.bash
source "$2"
complete -p culprit >/dev/null || exit 1

# check yes|no WORD … : WANTED …: completing the last word must offer all that is wanted, and, with
# yes, nothing else.
check() {
    local only=$1 wanted
    shift
    COMP_WORDS=("$program")
    while [[ $1 != : ]]; do
        COMP_WORDS+=("$1")
        shift
    done
    shift
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _culprit
    for wanted; do
        if [[ " ${COMPREPLY[*]} " != *" $wanted "* ]]; then
            echo "after '${COMP_WORDS[*]:1}': no $wanted among '${COMPREPLY[*]}'"
            failures=$((failures + 1))
        fi
    done
    if [[ $only == yes && ${#COMPREPLY[@]} -ne $# ]]; then
        echo "after '${COMP_WORDS[*]:1}': '${COMPREPLY[*]}', and only '$*' is right"
        failures=$((failures + 1))
    fi
}

# Whatever the program has, with nothing forgotten: its own table of commands says what that is.
mapfile -t commands < <("$program" help --words | grep -v '^--')
[[ ${#commands[@]} -ge 13 ]] || { echo "only ${#commands[@]} commands"; failures=1; }
mapfile -t before < <("$program" help --words | grep '^--' | tr -d =)
check yes "" : "${commands[@]}" "${before[@]}"
for command in "${commands[@]}"; do
    mapfile -t options < <("$program" help --words "$command" | tr -d =)
    [[ ${#options[@]} -ge 3 ]] || { echo "$command has only '${options[*]}'"; failures=1; }
    check yes "$command" "--" : "${options[@]}"
    # What takes one of a few words must offer them.
    for option in --engine --topology --format --state --kind; do
        [[ " ${options[*]} " == *" $option "* ]] || continue
        _culprit_value "$option" | grep -q . || { echo "$command $option offers nothing"; failures=1; }
    done
    check yes --server http://localhost "$command" "--js" : --json
done

check yes "su" : submit
check yes --json "su" : submit
check yes --server http://localhost "su" : submit
check yes --server=http://localhost "su" : submit
check yes "--v" : --version
check no submit "--" : --wait --json --server
check yes try --ke : --kernel --keep
check yes try --engine d : deterministic
check yes try -e "" : auto realtime deterministic functional
check no try --topology "" : pair smp4 smp8 x5472 vm-40cpu-smt vm-8cpu-smt xeon-gold-6252
check yes try wake : wakeup
check yes calibrate wake : wakeup
check yes calibrate --workload wake : wakeup
check yes calibrate --tr : --trials
check yes topology "" : list show check
check yes topology check x5 : x5472
check yes workload show ex : exec
check yes report 1 --format b : bisect-log
check yes help doc : doctor
check yes samples "" : compare
check yes samples compare --better "" : lower higher
check yes samples compare --trial-value me : mean median
check yes samples compare "$2" : "$2"
exit $((failures > 0))
