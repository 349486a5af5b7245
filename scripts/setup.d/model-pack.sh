# shellcheck shell=bash
# Creates the model packs from their definitions in Packs and from downloads, with mien pack:
# mien-basic-1 always, mien-default-2 if its network is there or can be downloaded, with the networks
# against prints and screens if they are or can, too.
# Needs progress.sh, commands.sh, downloads.sh, model-files.sh, stamps.sh, and workplace.sh ($work,
# $log).

readonly basic_pack=mien-basic-1 better_pack=mien-default-2
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
        [ -e "$MIEN_HOME/packs/.$basic_pack.stamp" ]; then
        return
    fi
    # 9 is the lock, which must end with setup.
    swift package resolve 9>&- >/dev/null 2>&1 &
    fetching=$!
}

# Whether the better pack could not be created, or only without the networks against prints and
# screens: the last lines of setup say so.
fell_back=no lacks_presentation=no

set_up_packs() {
    local program=''
    set_up_pack $basic_pack
    set_up_pack $better_pack
}

set_up_pack() { # name
    local pack=$1
    local definition=$repository/Packs/$pack
    begin "Model pack $pack"
    if [ ! -f "$definition/manifest.json" ]; then
        skipped "skipped: Packs/$pack has no definition"
        return
    fi
    if [ -z "${MIEN_PACK:-}" ] && ! grep -q 'program("mien"' "$repository/Package.swift"; then
        skipped 'skipped: this version has no program'
        return
    fi
    if [ $mode = install ]; then install_definition; fi
    local key final=$MIEN_HOME/packs/$pack stamp=$MIEN_HOME/packs/.$pack.stamp
    key=$(pack_key with)
    if pack_is_there; then there; return; fi
    if [ "$pack" = $better_pack ] && [ $with_pack = yes ] && ! find_presentation_files; then
        key=$(pack_key without)
        if pack_is_there; then
            lacks_presentation=yes
            there
            return
        fi
    fi
    if [ $mode = check ]; then
        if [ "$pack" = $better_pack ]; then optional; else absent; fi
        return
    fi
    if [ $with_pack = no ]; then skipped 'skipped for now'; return; fi
    if [ "$pack" = $better_pack ] && ! find_model_files; then
        fell_back=yes
        skipped "not available: $model_fault"
        return
    fi

    if [ "$pack" = $better_pack ] && [ -z "$presentation_files" ]; then lacks_presentation=yes; fi
    prepare_program
    if [ "$pack" = $better_pack ]; then build_pack; else assemble_pack; fi
    install_pack
    finished
}

# Sets `program` to mien, which takes minutes to build the first time.
prepare_program() {
    if [ -n "$program" ]; then return; fi
    program=${MIEN_PACK:-}
    if [ -n "$program" ]; then return; fi
    doing=build
    if [ -n "$fetching" ]; then wait "$fetching" || true; fi
    must scripts/quick-build mien
    program=$repository/.build/tests/debug/mien
}

# Says what the fallback costs and how to leave it.
report_fallback() {
    if [ $lacks_presentation = yes ]; then
        echo "$better_pack has no networks against prints and screens: $presentation_fault."
        echo 'To add them, run scripts/setup with internet access, or:' \
            'scripts/setup --files FOLDER (files: also those of scripts/presentation-files.txt)'
    fi
    if [ $fell_back = no ]; then return; fi
    echo "Only $basic_pack is installed: at 1 false match in 10,000, it recognizes" \
        "87 of 100 people's photos, $better_pack 98."
    echo "To install $better_pack, run scripts/setup with internet access, or:" \
        "scripts/setup --files FOLDER (files: scripts/model-files.txt)"
}

# The functions below use the variables of set_up_pack: pack, definition, key, final, stamp, program.

# Prints the pack's key, from its definition and the hashes of the downloads.
pack_key() { # with or without the networks against prints and screens
    {
        (cd "$definition" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
        look_up mediapipe && echo "$download_sha"
        if [ "$pack" = $better_pack ]; then
            model_hashes "$model_list"
            if [ "$1" = with ]; then model_hashes "$presentation_list"; fi
        else
            look_up descriptor && echo "$download_sha"
        fi
    } | sha256sum | cut -d ' ' -f 1
}

pack_is_there() {
    holds "$final" "$stamp" "$key" $depth &&
        [ "$(files_of "$final" | wc -l)" = "$(tail -n +2 "$stamp" | wc -l)" ]
}

# Unpacks the networks that both packs have to $work/models.
unpack_mediapipe() {
    local from=$work/models file
    if [ -d "$from/mediapipe" ]; then return; fi
    mkdir -p "$from/mediapipe"
    doing=unpack
    need_download mediapipe
    must unzip -q -o "$download" "${mediapipe_files[@]}" 'mediapipe-*.dist-info/LICENSE' \
        -d "$from/mediapipe"
    # Available by its path in the wheel and by its name.
    for file in "${mediapipe_files[@]}"; do ln "$from/mediapipe/$file" "$from/mediapipe/"; done
}

# Assembles and checks the basic pack in $work/packs.
assemble_pack() {
    local from=$work/models
    unpack_mediapipe
    need_download descriptor
    must tar -xzf "$download" -C "$from" --strip-components=3 --no-same-owner \
        --wildcards "*/models/$descriptor_file"
    mkdir -p "$work/packs"
    doing=assemble
    must "$program" pack assemble --models-archive "$from/$descriptor_file" \
        --mediapipe "$from/mediapipe" --definition "$definition" --output "$work/packs/$pack"
    check_pack
}

# Puts the better pack together in $work/packs.
build_pack() {
    unpack_mediapipe
    mkdir -p "$work/packs"
    doing=assemble
    must "$program" pack build --definition "$definition" --files "$work/models/mediapipe" \
        --files "$model_files" --output "$work/packs/$pack" \
        ${presentation_files:+--files "$presentation_files"}
    check_pack
}

check_pack() {
    doing=check
    must "$program" pack verify "$work/packs/$pack"
    files_of "$work/packs/$pack" | stamp "$work/packs/$pack" "$key" >"$work/stamp"
}

# Copies the definition to where mien models build finds it.
install_definition() {
    local target=$MIEN_HOME/definitions/$pack
    if diff -rq "$definition" "$target" >/dev/null 2>&1; then return; fi
    mkdir -p "$MIEN_HOME/definitions"
    rm -rf "$target" "$work/definition"
    cp -r "$definition" "$work/definition"
    mv -T "$work/definition" "$target"
}

install_pack() {
    mkdir -p "$MIEN_HOME/packs"
    # A pack without a stamp counts as missing, so the stamp is removed first and written last.
    rm -rf "$stamp" "$final"
    mv -T "$work/packs/$pack" "$final"
    mv -f "$work/stamp" "$stamp"
}
