# shellcheck shell=bash
# Writes and compares stamps, which tell whether a directory is whole.
# Needs nothing from other files.
#
# A stamp has a directory's key, which identifies its sources, and lists its files with size and
# sha256. It is written last.

stamp() { # directory, key; the files to list come on standard input
    local directory=$1 key=$2 path size hash
    echo "key $key"
    while IFS= read -r path; do
        size=$(stat -L -c %s "$directory/$path")
        hash=$(sha256sum <"$directory/$path" | cut -d ' ' -f 1)
        printf '%s %s %s\n' "$size" "$hash" "$path"
    done
}

# Succeeds if the stamp has this key and every file matches it. Quick: compares sizes, and requires
# files older than the stamp.
holds() { # directory, stamp, key, full or quick
    local directory=$1 stamp=$2 key=$3 depth=$4 listed sizes
    [ -f "$stamp" ] && [ "$(head -n 1 "$stamp")" = "key $key" ] || return 1
    listed=$(tail -n +2 "$stamp")
    [ -n "$listed" ] || return 1
    (
        cd "$directory" 2>/dev/null || exit 1
        sizes=$(listed_paths | xargs -d '\n' stat -L -c '%s %n' 2>/dev/null) || exit 1
        [ "$sizes" = "$(cut -d ' ' -f 1,3- <<<"$listed")" ] || exit 1
        if [ "$depth" = quick ] && [ -z "$(newer_than_stamp)" ]; then exit 0; fi
        cut -d ' ' -f 2- <<<"$listed" | sed 's/ /  /' | sha256sum --check --status 2>/dev/null
    )
}
# These two use the variables of `holds`.
listed_paths() { cut -d ' ' -f 3- <<<"$listed"; }
newer_than_stamp() {
    # shellcheck disable=SC2185
    listed_paths | tr '\n' '\0' | find -L -files0-from - -newer "$stamp" | head -n 1
}

files_of() {
    (
        cd "$1" && find . \( -type f -o -type l \) -printf '%P\n' |
            grep -v '^\.mien-stamp$' | LC_ALL=C sort
    )
}
