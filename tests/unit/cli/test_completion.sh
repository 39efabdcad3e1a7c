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

check no "" : submit list show watch cancel report try topology workload doctor help
check yes "su" : submit
check yes "--v" : --version
check no submit "--" : --wait --json --server
check yes try --ke : --kernel --keep
check yes try --engine d : deterministic
check yes try -e "" : auto realtime deterministic functional
check no try --topology "" : pair smp4 smp8 x5472 vm-40cpu-smt xeon-gold-6252
check yes try wake : wakeup
check yes topology "" : list show check
check yes topology check x5 : x5472
check yes workload show ex : exec
check yes report 1 --format b : bisect-log
check yes help doc : doctor
exit $((failures > 0))
