function _FUNCTION
    set -l words (commandline -opc)
    set -l reply ($words[1] --complete=(commandline -cp | string collect) 2>/dev/null)
    set -l token (commandline -ct)
    set -l kept (math (string length -- "$token") - (string length -- "$reply[1]"))
    set -l stem (string sub -l $kept -- "$token")
    for each in $reply[2..]
        echo -- "$stem$each"
    end
end
complete -c PROGRAM -a '(_FUNCTION)'
