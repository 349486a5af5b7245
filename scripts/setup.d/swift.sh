# shellcheck shell=bash
# Checks that Swift is installed, which setup cannot do. Needs progress.sh.

readonly swift_needed=6.3
swift_found=''

swift_is_there() {
    command -v swift >/dev/null || return 1
    swift_found=$(
        swift --version 2>/dev/null |
            sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1
    )
    [ -n "$swift_found" ] && is_at_least "$swift_needed" "$swift_found"
}
is_at_least() { [ "$(printf '%s\n' "$@" | sort -V | head -n 1)" = "$1" ]; } # version, another

set_up_swift() {
    begin "Swift $swift_needed"
    if swift_is_there; then
        there
    elif [ $mode = check ]; then
        absent "missing${swift_found:+: found $swift_found}"
    else
        local reason="Swift $swift_needed or later has to be on PATH"
        reason+="${swift_found:+; found $swift_found}. "
        fail "${reason}Install it from swift.org, then run scripts/setup again." 3
    fi
}
