# shellcheck shell=bash
# Writes outside the home directory: as root, with sudo, or into a substitute for /.
# Needs nothing from other files.

# A directory to use as /, or empty.
readonly root=${MIEN_SYSTEM_ROOT:-}

# Sets as_root to the prefix for writing outside the home directory: nothing, or sudo. Fails if
# neither works.
as_root=()
become_root() {
    as_root=()
    if [ "$(id -u)" = 0 ]; then return 0; fi
    command -v sudo >/dev/null || return 1
    as_root=(sudo -n)
    if sudo -n true 2>/dev/null; then return 0; fi
    # Asks for a password only if a person can type it.
    if [ -t 0 ] && [ -t 2 ] && [ -z "${CI:-}" ]; then printf '\n' && sudo -v; else return 1; fi
}

# The same for system-wide files, which may be writable with MIEN_SYSTEM_ROOT.
may_install_system_wide() {
    if [ -n "$root" ] && [ -w "$root" ]; then as_root=(); return 0; fi
    become_root
}

# Installs a file atomically, readable by everyone.
place() { # file, destination
    "${as_root[@]}" mkdir -p "${2%/*}"
    "${as_root[@]}" cp "$1" "$2.setup-$$"
    "${as_root[@]}" chmod 644 "$2.setup-$$"
    "${as_root[@]}" mv -f "$2.setup-$$" "$2"
}
