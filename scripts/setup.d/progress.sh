# shellcheck shell=bash
# Prints one line for each part of setup: its label, then what became of it.
# Needs nothing from other files.

terminal=no
if [ -t 1 ]; then terminal=yes; fi
# `label` is empty when no line is open. `missing` counts what --check misses.
label='' started=0 missing=0
# The current activity of the part, shown in the open line.
doing=''

tenths() { echo $((${EPOCHREALTIME/[.,]/} / 100000)); }
elapsed() { local t=$(($(tenths) - started)); echo "$((t / 10)).$((t % 10)) s"; }

begin() { label=$1 doing=''; started=$(tenths); printf '  %-50s ' "$label"; }
close_line() {
    if [ $terminal = yes ]; then
        printf '\r  %-50s %s\033[K\n' "$label" "$1"
    else
        printf '%s\n' "$1"
    fi
    label=''
}
there() { close_line '✓ already there'; }
finished() { close_line "✓ $(elapsed)"; }
absent() { close_line "✗ ${1:-missing}"; missing=$((missing + 1)); }
optional() { close_line "– ${1:-missing, but not needed}"; }
skipped() { close_line "– $1"; }

# Prints the reason and exits, with the second argument as the exit status.
fail() {
    if [ -n "$label" ]; then close_line '✗'; fi
    printf '\n%s\n' "$1" >&2
    exit "${2:-1}"
}
