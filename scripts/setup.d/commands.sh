# shellcheck shell=bash
# Runs the programs that setup calls: output to the log, progress on the open line.
# Needs progress.sh, workplace.sh ($log), and ../background.sh.

# Runs a program and returns its exit status.
run() {
    { printf '\n$'; printf ' %q' "$@"; printf '\n'; } >>"$log"
    start "$log" "$@"
    if [ $terminal = yes ]; then show_progress; fi
    finish
}

# Redraws the open line until the program ends. A build shows the steps that swift build counts.
show_progress() {
    local tick=0 steps='' width=50
    if [ "$doing" = build ]; then width=26; fi
    while is_running; do
        if [ "$doing" = build ] && [ $((tick % 10)) = 0 ]; then
            steps=$(tail -n 50 "$log" | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1) || true
        fi
        printf '\r  %-*s … %s %s\033[K' $width "$label" "$(elapsed)" "$doing${steps:+ $steps}"
        tick=$((tick + 1))
        sleep 0.1
    done
}

# Runs a program that must succeed.
must() {
    run "$@" && return
    close_line '✗'
    {
        printf '\nThis failed: %s\n' "$*"
        echo 'No partial installation is left. Run scripts/setup again to continue.'
        printf '\nThe end of %s:\n' "$log"
        tail -n 15 "$log" | sed 's/^/    /'
    } >&2
    exit 1
}
