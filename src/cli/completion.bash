
# Fills COMPREPLY with the words that begin with $current, and with files if $files is set. Of a list with
# commas the last item is completed.
_heddle_reply() {
    local list=""
    if [[ $current == *,* ]]; then
        list=${current%,*},
    fi
    mapfile -t COMPREPLY < <(compgen -P "$list" -W "$words" -- "${current##*,}")
    if [[ -n $files ]] && ((files)); then
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null
    fi
    if [[ ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

_heddle() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local options="" words="" files="" i
    COMPREPLY=()
    # A program of the user's has its own words.
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then
            words="" files=1
            _heddle_reply
            return
        fi
    done
    # bash takes --gpu=v100 for three words.
    if [[ $current == = ]]; then
        current=""
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        words="$(_heddle_names commands) --help --version"
    else
        _heddle_command "${COMP_WORDS[1]}"
        if [[ $current == -* ]]; then
            words=$options files=""
        fi
    fi
    _heddle_reply
}

complete -F _heddle heddle
