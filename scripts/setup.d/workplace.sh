# shellcheck shell=bash
# Gives an installation its lock, its log, and a folder for unfinished work, and cleans up at its
# end, also when a person interrupts it. Needs progress.sh and ../background.sh.

readonly state=$MIEN_HOME/.setup
readonly log=$state/log
# The folder for unfinished work, or empty.
work=''

# Allows one setup at a time per MIEN_HOME. The lock is released when the process ends.
lock() {
    mkdir -p "$state"
    exec 9>"$state/lock"
    if ! flock --nonblock 9; then
        echo "Another setup is running in $MIEN_HOME; waiting for it."
        flock --timeout 3600 9 || fail "The other setup is still running after an hour."
    fi
}

open_workplace() {
    trap clean EXIT
    trap interrupted INT TERM HUP
    lock
    # With the lock held, remaining work folders are from a killed setup. A process that it
    # started may still write there for a moment.
    for _ in {1..20}; do
        if rm -rf "$state"/work.* 2>/dev/null; then break; fi
        sleep 0.5
    done
    work=$(mktemp -d "$state/work.XXXXXX")
    : >"$log"
}

clean() {
    if [ -n "$label" ]; then close_line '✗'; fi
    stop
    if [ -n "$work" ]; then rm -rf "$work"; fi
}

interrupted() {
    trap '' INT TERM HUP
    if [ -n "$label" ]; then close_line '✗ interrupted'; fi
    echo "Interrupted. Run scripts/setup again to continue." >&2
    exit 130
}
