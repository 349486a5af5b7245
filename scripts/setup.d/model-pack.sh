# shellcheck shell=bash
# Assembles the default model pack from Packs/default and two downloads, with mien-pack.
# Needs progress.sh, commands.sh, downloads.sh, stamps.sh, and workplace.sh ($work, $log).

readonly pack=mien-default-1 definition=$repository/Packs/default
readonly mediapipe_files=(
    mediapipe/modules/face_detection/face_detection_short_range.tflite
    mediapipe/modules/face_detection/face_detection_full_range_sparse.tflite
    mediapipe/modules/face_landmark/face_landmark.tflite
    mediapipe/modules/iris_landmark/iris_landmark.tflite)
readonly descriptor_file=dlib_face_recognition_resnet_model_v1.dat

# Fetches Swift packages in the background, while other parts of setup wait for the network. Reports
# nothing: the build fetches what is missing and says why it cannot.
fetching=
fetch_packages_ahead() {
    if [ $mode != install ] || [ $with_pack = no ] || [ -n "${MIEN_PACK:-}" ] ||
        [ -e "$MIEN_HOME/packs/.$pack.stamp" ]; then
        return
    fi
    # 9 is the lock, which must end with setup.
    swift package resolve 9>&- >/dev/null 2>&1 &
    fetching=$!
}

set_up_pack() {
    begin "Model pack $pack"
    if [ ! -f "$definition/manifest.json" ]; then
        skipped 'skipped: Packs/default has no definition'
        return
    fi
    if [ -z "${MIEN_PACK:-}" ] && ! grep -q '"mien-pack"' "$repository/Package.swift"; then
        skipped 'skipped: this version has no mien-pack program'
        return
    fi
    local key final=$MIEN_HOME/packs/$pack stamp=$MIEN_HOME/packs/.$pack.stamp
    key=$(pack_key)
    if pack_is_there; then there; return; fi
    if [ $mode = check ]; then absent; return; fi

    if [ $with_pack = no ]; then skipped 'skipped for now'; return; fi

    local program=${MIEN_PACK:-}
    if [ -z "$program" ]; then
        # Takes minutes the first time.
        doing=build
        if [ -n "$fetching" ]; then wait "$fetching" || true; fi
        must swift build -c release --product mien-pack
        program=$(swift build -c release --show-bin-path 2>>"$log")/mien-pack
    fi
    unpack_models
    assemble_pack
    install_pack
    finished
}

# The functions below use the variables of set_up_pack: key, final, stamp, program.

# Prints the pack's key, from its definition and the hashes of the downloads.
pack_key() {
    {
        (cd "$definition" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
        look_up mediapipe && echo "$download_sha"
        look_up descriptor && echo "$download_sha"
    } | sha256sum | cut -d ' ' -f 1
}

pack_is_there() {
    holds "$final" "$stamp" "$key" $depth &&
        [ "$(files_of "$final" | wc -l)" = "$(tail -n +2 "$stamp" | wc -l)" ]
}

# Unpacks the networks to $work/models.
unpack_models() {
    local from=$work/models file
    mkdir -p "$from/mediapipe"
    doing=unpack
    need_download mediapipe
    must unzip -q -o "$download" "${mediapipe_files[@]}" 'mediapipe-*.dist-info/LICENSE' \
        -d "$from/mediapipe"
    # Available by its path in the wheel and by its name.
    for file in "${mediapipe_files[@]}"; do ln "$from/mediapipe/$file" "$from/mediapipe/"; done
    need_download descriptor
    must tar -xzf "$download" -C "$from" --strip-components=3 --no-same-owner \
        --wildcards "*/models/$descriptor_file"
}

# Assembles and checks the pack in $work/packs.
assemble_pack() {
    local from=$work/models
    mkdir -p "$work/packs"
    doing=assemble
    must "$program" assemble --models-archive "$from/$descriptor_file" \
        --mediapipe "$from/mediapipe" --definition "$definition" --output "$work/packs/$pack"
    doing=check
    must "$program" verify "$work/packs/$pack"
    files_of "$work/packs/$pack" | stamp "$work/packs/$pack" "$key" >"$work/stamp"
}

install_pack() {
    mkdir -p "$MIEN_HOME/packs"
    # A pack without a stamp counts as missing, so the stamp is removed first and written last.
    rm -rf "$stamp" "$final"
    mv -T "$work/packs/$pack" "$final"
    mv -f "$work/stamp" "$stamp"
}
