# What a shell needs for RUN lines: LLVM's `not`, calls of Python functions as programs
# by `this_python`, and an end if one raises an exception or a program does not exist.
set -o pipefail
exec 9>&2
trap 'exit 127' TERM
command_not_found_handle() {
    builtin echo "$1: command not found" >&9
    kill -TERM $$
    return 127
}
not() {
    local crash= code
    if [ "$1" = --crash ]; then crash=1; shift; fi
    "$@"
    code=$?
    if [ $code = 126 ] || [ $code = 127 ]; then
        builtin echo "not: '$1' could not be run" >&2
        return 1
    fi
    if [ $code -gt 128 ] && [ $code -le 192 ]; then
        [ -n "$crash" ] || builtin echo "not: '$1' was ended by a signal" >&2
        [ -n "$crash" ]
    else
        [ -z "$crash" ] && [ $code != 0 ]
    fi
}
call_function() {
    "$this_python" -c '
import sys, traceback
from pkgutil import resolve_name
try:
    code = resolve_name(sys.argv.pop(1))(sys.argv[1:])
except Exception:
    traceback.print_exc()
    code = 126
sys.exit(code)
' "$@"
    local code=$?
    if [ $code = 126 ]; then
        builtin echo "$1 raised an exception" >&9
        kill -TERM $$
    fi
    return $code
}
