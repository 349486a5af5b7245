# shellcheck shell=bash
# Downloads the files of ../downloads.txt with pip and compares their hashes.
# Needs progress.sh, commands.sh, and workplace.sh ($work).

readonly downloads=$MIEN_HOME/downloads
machine=$(uname -m)
readonly machine

# Sets variables from the line of downloads.txt for one use on this machine. Fails if there is none.
look_up() {
    local use kind for requirement platform file sha
    while read -r use kind for requirement platform file sha; do
        if [ "$use" = "$1" ] && { [ "$for" = any ] || [ "$for" = "$machine" ]; }; then
            download_kind=$kind download_requirement=$requirement download_platform=$platform
            download_sha=$sha download=$downloads/$file
            return 0
        fi
    done <"$repository/scripts/downloads.txt"
    return 1
}

is_whole() { [ -f "$1" ] && sha256sum --check --status <<<"$2  $1" 2>/dev/null; }

# Quick check: the file was complete when its mark was created, and is not newer than the mark.
is_marked() {
    local mark=$download.sha256
    [ -s "$download" ] && [ -f "$mark" ] && [ ! "$download" -nt "$mark" ] &&
        [ "$(<"$mark")" = "$download_sha" ]
}
is_downloaded() { # full or quick
    if [ "$1" = quick ] && is_marked; then return 0; fi
    is_whole "$download" "$download_sha"
}

set_up_download() { # use
    look_up "$1"
    begin "Download ${download_requirement/==/ }"
    if is_downloaded $depth; then
        # Also accepts files that were copied manually, and marks them.
        if [ $mode = install ] && ! is_marked; then echo "$download_sha" >"$download.sha256"; fi
        there
        return
    fi
    if [ $mode = check ]; then absent; return; fi
    fetch
    finished
}

# Verifies a download before use, and downloads it again if it is damaged.
need_download() { # use
    look_up "$1"
    if ! is_whole "$download" "$download_sha"; then fetch; fi
}

# Downloads the file that was looked up.
fetch() {
    need_pip
    local into=$work/download
    rm -rf "$into"
    mkdir -p "$into" "$downloads"
    echo "$download_requirement --hash=sha256:$download_sha" >"$work/requirement.txt"
    local arguments=(download --disable-pip-version-check --no-input --progress-bar off --no-deps
        --no-cache-dir --require-hashes --requirement "$work/requirement.txt" --dest "$into")
    case $download_kind in
        sdist) arguments+=(--no-binary=:all: --no-build-isolation) ;;
        wheel) arguments+=(--only-binary=:all: --platform "$download_platform"
            --python-version 311 --implementation cp --ignore-requires-python) ;;
    esac
    TMPDIR=$work must "$pip" "${arguments[@]}"
    is_whole "$into/${download##*/}" "$download_sha" ||
        fail "${download##*/} is not the file that scripts/downloads.txt names."
    mv -f "$into/${download##*/}" "$download"
    echo "$download_sha" >"$download.sha256"
}

# Creates a private Python with pinned tools when the first download needs it.
pip=''
need_pip() {
    [ -z "$pip" ] || return 0
    local python=/usr/bin/python3 use kind for requirement platform file sha
    if [ ! -x $python ]; then python=python3; fi
    must $python -m venv "$work/python"
    pip=$work/python/bin/pip
    while read -r use kind for requirement platform file sha; do
        if [ "$use" = tool ]; then echo "$requirement --hash=sha256:$sha"; fi
    done <"$repository/scripts/downloads.txt" >"$work/tools.txt"
    must "$pip" install --disable-pip-version-check --no-input --no-deps --require-hashes \
        --only-binary=:all: --requirement "$work/tools.txt"
}
