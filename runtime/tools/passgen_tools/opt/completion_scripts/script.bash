_FUNCTION() {
    local -a reply
    mapfile -t reply < <("$1" --complete="${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    COMPREPLY=()
    [ "${#reply[@]}" -gt 1 ] || return 0
    local stem="${2%"${reply[0]}"}" each
    for each in "${reply[@]:1}"; do
        COMPREPLY+=("$stem$each")
    done
    compopt -o nospace
}
complete -o default -F _FUNCTION PROGRAM
