# shellcheck shell=bash
# Unpacks OpenVINO from its download, and decides where it goes: system-wide if possible, otherwise
# into MIEN_HOME. Needs progress.sh, commands.sh, downloads.sh, stamps.sh, root.sh,
# openvino-system.sh, and openvino-user.sh.

readonly openvino_version=2026.4.1 openvino_abi=2641
# user or system, once OpenVINO is found or installed.
where=''

set_up_openvino() {
    begin "OpenVINO $openvino_version"
    look_up openvino
    if find_openvino $depth; then there; return; fi
    if [ $mode = check ]; then absent; return; fi

    unpack_openvino
    if [ $user = no ] && may_install_system_wide; then
        where=system
        install_system_openvino
    else
        where=user
        install_user_openvino
    fi
    finished
}

# Sets `where`. Fails if OpenVINO is in neither location.
find_openvino() { # full or quick
    where=''
    if user_openvino_is_there "$1"; then where=user
    elif [ $user = no ] && system_openvino_is_there "$1"; then where=system
    fi
    [ -n "$where" ]
}

# Unpacks the required parts to $work/openvino: lib, include, licenses, stamp.
unpack_openvino() {
    local into=$work/openvino from=$work/openvino-wheel patterns
    need_download openvino
    mapfile -t patterns < <(openvino_files)
    must unzip -q -o "$download" "${patterns[@]}" -d "$from"
    mkdir -p "$into"
    mv "$from/openvino/libs" "$into/lib"
    mv "$from/openvino/include" "$into/include"
    mv "$from/openvino-$openvino_version.dist-info/licenses" "$into/licenses"
    ln -s "libopenvino_c.so.$openvino_abi" "$into/lib/libopenvino_c.so"
    chmod -R u=rwX,go=rX "$into"
    files_of "$into" | stamp "$into" "$download_sha" >"$work/stamp"
    mv "$work/stamp" "$into/.mien-stamp"
}

openvino_files() {
    local plugin=intel_cpu
    if [ "$machine" = aarch64 ]; then plugin=arm_cpu; fi
    printf 'openvino/libs/%s\n' \
        "libopenvino.so.$openvino_abi" \
        "libopenvino_c.so.$openvino_abi" \
        "libopenvino_${plugin}_plugin.so" \
        "libopenvino_ir_frontend.so.$openvino_abi" \
        "libopenvino_onnx_frontend.so.$openvino_abi" \
        "libopenvino_tensorflow_lite_frontend.so.$openvino_abi" \
        libtbb.so.12 libtbbmalloc.so.2 libtbbbind_2_5.so.3 libhwloc.so.15
    # The C headers include only one another and headers of the C library.
    echo 'openvino/include/openvino/c/*'
    echo "openvino-$openvino_version.dist-info/licenses/*"
}

pkg_config_file() { # prefix
    cat <<END_OF_FILE
prefix=$1
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: mien-openvino
Description: OpenVINO run-time, C interface
Version: $openvino_version
Libs: -L\${libdir} -lopenvino_c
Cflags: -I\${includedir}
END_OF_FILE
}
