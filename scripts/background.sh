# shellcheck shell=bash
# Runs one program in the background, so that its caller can show progress and handle signals.
# Source it; it needs nothing from other files.

# The program's process, or empty.
child=''

# Starts a program with its output at the end of a log. It has its own session, so that all its
# processes can be ended, and it ends if this script is killed.
start() { # log, command…
    local output=$1 session=(setsid setpriv --pdeathsig TERM --)
    shift
    # sudo remembers passwords per terminal, and a new session has none.
    if [ "$1" = sudo ]; then session=(); fi
    # 9 is the lock of setup, which the program must not keep.
    "${session[@]}" "$@" >>"$output" 2>&1 </dev/null 9>&- &
    child=$!
}

is_running() { kill -0 "$child" 2>/dev/null; }

# Waits for the program and returns its exit status.
finish() {
    local status=0
    wait "$child" || status=$?
    child=''
    return $status
}

# Ends the program with all its processes, if it runs.
stop() {
    if [ -z "$child" ]; then return; fi
    kill -TERM -- "-$child" "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
    child=''
}
