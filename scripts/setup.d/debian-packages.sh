# shellcheck shell=bash
# Installs the packages of ../debian-packages.txt with apt-get.
# Needs progress.sh, commands.sh, and root.sh.

# Prints the names of the missing packages, one per line.
missing_packages() {
    local wanted=() name rest
    while read -r name rest; do
        case $name in
            '' | '#'* | connect) ;;
            bench) if [ $bench = yes ]; then wanted+=("${rest%% *}"); fi ;;
            tests) if [ $tests = yes ]; then wanted+=("${rest%% *}"); fi ;;
            *) wanted+=("$name") ;;
        esac
    done <"$repository/scripts/debian-packages.txt"
    comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) <(installed_packages "${wanted[@]}")
}
installed_packages() {
    # shellcheck disable=SC2016
    dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
        sed -n 's/ installed$//p' | sort -u
}

set_up_packages() {
    begin 'Debian packages'
    local packages
    packages=$(missing_packages | tr '\n' ' ')
    packages=${packages% }
    if [ -z "$packages" ]; then there; return; fi
    if [ $mode = check ]; then absent "missing: $packages"; return; fi

    command -v apt-get >/dev/null ||
        fail "These packages are missing, and apt-get is not available to install them: $packages" 3
    become_root || fail "These Debian packages are missing: $packages
Installing them requires root, and neither root nor sudo is available. Ask an administrator to run:

    apt-get update && apt-get install --yes --no-install-recommends $packages

Then run scripts/setup again." 3
    local names without_questions=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive)
    read -r -a names <<<"$packages"
    local apt=("${without_questions[@]}" apt-get -o DPkg::Lock::Timeout=600)
    # A killed setup or upgrade may have left packages unpacked but not configured.
    if [ -n "$(dpkg --audit 2>/dev/null)" ]; then
        must "${without_questions[@]}" dpkg --configure -a
    fi
    must "${apt[@]}" update
    must "${apt[@]}" install --yes --no-install-recommends "${names[@]}"
    finished
}
