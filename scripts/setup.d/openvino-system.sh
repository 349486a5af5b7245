# shellcheck shell=bash
# Installs and removes the system-wide OpenVINO, which pkg-config and the loader find by themselves.
# Needs openvino.sh (versions, the unpacked parts), stamps.sh, root.sh, and commands.sh.

readonly system_base=/usr/local/lib/mien-openvino
readonly system_openvino=$system_base/$openvino_version
readonly system_pc=/usr/local/lib/pkgconfig/mien-openvino.pc
# "zz" sorts after the system's directories, so that no other program gets our copies of libtbb and
# libhwloc.
readonly system_loader=/etc/ld.so.conf.d/zz-mien-openvino.conf

system_openvino_is_there() { # full or quick
    local final=$root$system_openvino
    holds "$final" "$final/.mien-stamp" "$download_sha" "$1" &&
        cmp -s "$root$system_pc" <(pkg_config_file "$system_openvino") && loader_finds
}

loader_finds() {
    if [ -n "$root" ]; then
        grep -qxF "$system_openvino/lib" "$root$system_loader" 2>/dev/null
    else
        # Not grep -q, which may exit before ldconfig has printed everything, so that ldconfig and
        # the pipeline fail.
        PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null |
            grep -F "=> $system_openvino/lib/libopenvino_c.so.$openvino_abi" >/dev/null
    fi
}

install_system_openvino() {
    remove_unfinished_openvino
    install_system_files
    pkg_config_file "$system_openvino" >"$work/mien-openvino.pc"
    if ! cmp -s "$work/mien-openvino.pc" "$root$system_pc"; then
        place "$work/mien-openvino.pc" "$root$system_pc"
    fi
    if ! loader_finds; then
        echo "$system_openvino/lib" >"$work/loader.conf"
        place "$work/loader.conf" "$root$system_loader"
        if [ -z "$root" ]; then PATH=$PATH:/sbin:/usr/sbin must "${as_root[@]}" ldconfig; fi
    fi
}

# Removes what a killed setup left.
remove_unfinished_openvino() {
    local base=$root$system_base aside
    "${as_root[@]}" mkdir -p "$base"
    for aside in "$base"/.setup-*; do
        if [ -d "$aside" ] && [ ! -d "/proc/${aside##*-}" ]; then
            "${as_root[@]}" rm -rf "$aside"
        fi
    done
}

install_system_files() {
    local base=$root$system_base final=$root$system_openvino aside=$root$system_base/.setup-$$
    # If identical files exist without a stamp, perhaps in use, keeps them and adds the licenses and
    # the stamp.
    grep -v ' licenses/' "$work/openvino/.mien-stamp" >"$work/in-use"
    if holds "$final" "$work/in-use" "$download_sha" full; then
        "${as_root[@]}" cp -R --preserve=mode,timestamps "$work/openvino/licenses" "$final/"
        place "$work/openvino/.mien-stamp" "$final/.mien-stamp"
    else
        must "${as_root[@]}" cp -R --preserve=mode,timestamps "$work/openvino" "$aside"
        # Keeps the old folder on disk until the new one has its name.
        if [ -e "$final" ]; then "${as_root[@]}" mv -T "$final" "$base/.setup-old-$$"; fi
        "${as_root[@]}" mv -T "$aside" "$final"
        "${as_root[@]}" rm -rf "$base/.setup-old-$$"
    fi
}

remove_system_openvino() {
    if [ ! -f "$root$system_openvino/.mien-stamp" ]; then return; fi
    if may_install_system_wide; then
        "${as_root[@]}" rm -rf "$root$system_openvino" "$root$system_pc" "$root$system_loader"
        "${as_root[@]}" rmdir "$root$system_base" 2>/dev/null || true
        if [ -z "$root" ]; then "${as_root[@]}" env PATH="$PATH:/sbin:/usr/sbin" ldconfig; fi
        echo "Removed $root$system_openvino."
    else
        echo "Left $root$system_openvino: removing it requires root." >&2
        missing=1
    fi
}
