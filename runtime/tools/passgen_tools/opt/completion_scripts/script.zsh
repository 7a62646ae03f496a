#compdef PROGRAM
_FUNCTION() {
    local -a reply
    reply=("${(@f)$("${words[1]}" --complete="${LBUFFER}" 2>/dev/null)}")
    (( ${#reply} > 1 )) || { _files; return }
    local stem="${PREFIX%"${reply[1]}"}"
    compadd -Q -S '' -p "$stem" -U -- "${reply[@]:1}"
}
compdef _FUNCTION PROGRAM
