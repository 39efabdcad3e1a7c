# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash. The words come from the program itself ("culprit help --words"), so they are
# those of the version that is installed.

# The first word after the program's name that is neither an option nor the value of one.
_culprit_command() {
    local word is_value=no
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $is_value == yes ]]; then
            is_value=no
        elif [[ $word == -* ]]; then
            "${COMP_WORDS[0]}" help --words | grep -qxe "$word=" && is_value=yes
        else
            printf '%s' "$word"
            return
        fi
    done
}

# First words of the lines of a list ("pair   2 CPUs …").
_culprit_names() {
    "${COMP_WORDS[0]}" "$1" list 2>/dev/null | while read -r name _; do printf '%s\n' "$name"; done
}

_culprit_value() {
    case $1 in
    --engine | -e) printf '%s\n' auto realtime deterministic functional ;;
    --topology | -t) _culprit_names topology ;;
    --workload) _culprit_names workload ;;
    --format | -f) printf '%s\n' text json mail bisect-log ;;
    --better | -b) printf '%s\n' lower higher ;;
    --trial-value) printf '%s\n' mean median ;;
    --state) printf '%s\n' queued preparing running 'done' failed cancelled ;;
    --kind) printf '%s\n' run bisect ;;
    *) return 1 ;;
    esac
}

_culprit_words() {
    case $1 in
    help) "${COMP_WORDS[0]}" help --words ;;
    topology)
        case ${COMP_WORDS[COMP_CWORD - 1]} in
        show | check) _culprit_names topology ;;
        topology) printf '%s\n' list show check ;;
        esac
        ;;
    workload)
        case ${COMP_WORDS[COMP_CWORD - 1]} in
        show) _culprit_names workload ;;
        workload) printf '%s\n' list show ;;
        esac
        ;;
    samples) printf '%s\n' compare ;;
    try | calibrate) _culprit_names workload ;;
    esac
}

_culprit() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command words
    command=$(_culprit_command)
    COMPREPLY=()
    if [[ -z $command ]]; then
        words=$("${COMP_WORDS[0]}" help --words)
        words=${words//=/}
    elif ! words=$(_culprit_value "$previous"); then
        case $previous in
        --kernel | -k | --keep)
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
            ;;
        esac
        if [[ $current == -* ]]; then
            words=$("${COMP_WORDS[0]}" help --words "$command" 2>/dev/null)
            words=${words//=/}
        elif [[ $command == submit || ($command == samples && $previous != samples) ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
        else
            words=$(_culprit_words "$command")
        fi
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o filenames -F _culprit culprit
