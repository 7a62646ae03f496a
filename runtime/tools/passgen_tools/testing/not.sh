# LLVM's `not`: succeeds if a program runs and fails, or is ended by a signal under
# `--crash`. A program that cannot be run is noted in the file `$failures`.
crash=
if [ "$1" = --crash ]; then crash=1; shift; fi
case $1 in
    */*) ;;
    *) command -v "$1" >/dev/null \
        || { echo "not: $1: command not found" >>"$failures"; exit 1; } ;;
esac
"$@"
code=$?
if [ $code = 126 ] || [ $code = 127 ]; then
    echo "not: $1: could not be run" >>"$failures"
    exit 1
fi
if [ $code -gt 128 ] && [ $code -le 192 ]; then
    [ -n "$crash" ] || echo "not: '$1' was ended by a signal" >&2
    [ -n "$crash" ]
else
    [ -z "$crash" ] && [ $code != 0 ]
fi
