# shellcheck shell=bash
# Runs the programs that setup calls: output to the log, progress on the open line.
# Needs progress.sh, workplace.sh ($log), ../background.sh, and ../swift-progress.sh.

# Runs a program and returns its exit status.
run() {
    { printf '\n$'; printf ' %q' "$@"; printf '\n'; } >>"$log"
    start "$log" "$@"
    if [ $terminal = yes ]; then show_progress; fi
    finish
}

# Redraws the open line until the program ends.
show_progress() {
    local tick=0
    begin_swift_progress
    while is_running; do
        if [ "$doing" = build ]; then
            if [ $((tick % 10)) = 0 ]; then read_swift_progress "$log"; fi
            printf '\r  %-26s … %s %s\033[K' "$label" "$(elapsed)" "$(build_progress)"
        else
            printf '\r  %-50s … %s %s\033[K' "$label" "$(elapsed)" "$doing"
        fi
        tick=$((tick + 1))
        sleep 0.1
    done
}

# Prints how far a build is: build 312/958, about 4 min left.
build_progress() {
    local left
    left=$(swift_time_left)
    if [ "$swift_total" = 0 ]; then
        echo build
    else
        echo "build $swift_done/$swift_total${left:+, $left}"
    fi
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
