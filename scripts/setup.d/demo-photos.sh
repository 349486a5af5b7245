# shellcheck shell=bash
# Unpacks the photos of the demo, and removes them. Needs progress.sh, commands.sh, downloads.sh,
# stamps.sh, and workplace.sh ($work).

readonly photos=$MIEN_HOME/demo/photos

set_up_photos() {
    begin 'Demo photos'
    look_up photos
    if holds "$photos" "$photos/.mien-stamp" "$download_sha" $depth; then there; return; fi
    if [ $mode = check ]; then absent; return; fi

    need_download photos
    mkdir -p "$work/photos" "$photos"
    must tar -xzf "$download" -C "$work/photos" --strip-components=3 --no-same-owner \
        --wildcards '*/tests/test_images/*.jpg'
    files_of "$work/photos" | stamp "$work/photos" "$download_sha" >"$work/stamp"
    # Moves single files, so that other photos in the folder stay.
    mv -f "$work/photos"/*.jpg "$photos/"
    mv -f "$work/stamp" "$photos/.mien-stamp"
    finished
}

# Removes the photos that setup unpacked, and no others.
remove_photos() {
    if [ ! -f "$photos/.mien-stamp" ]; then return; fi
    (
        cd "$photos" && tail -n +2 .mien-stamp | cut -d ' ' -f 3- | xargs -d '\n' rm -f &&
            rm -f .mien-stamp
    )
}
