# shellcheck shell=bash
# Installs OpenVINO into MIEN_HOME, with env.sh, which tells pkg-config and the loader where it is.
# Needs openvino.sh (versions, the unpacked parts) and stamps.sh.

readonly user_openvino=$MIEN_HOME/openvino/$openvino_version

user_openvino_is_there() { # full or quick
    holds "$user_openvino" "$user_openvino/.mien-stamp" "$download_sha" "$1" &&
        cmp -s "$MIEN_HOME/env.sh" <(environment_file)
}

install_user_openvino() {
    local into=$work/openvino
    mkdir -p "$into/lib/pkgconfig" "${user_openvino%/*}"
    pkg_config_file "$user_openvino" >"$into/lib/pkgconfig/mien-openvino.pc"
    rm -rf "$user_openvino"
    mv -T "$into" "$user_openvino"
    environment_file >"$work/env.sh"
    mv -f "$work/env.sh" "$MIEN_HOME/env.sh"
}

environment_file() {
    local pkgconfig=$user_openvino/lib/pkgconfig library=$user_openvino/lib
    cat <<END_OF_FILE
# Written by scripts/setup. To build and run Mien in your own shell:  . $MIEN_HOME/env.sh
case ":\${PKG_CONFIG_PATH:-}:" in
    *":$pkgconfig:"*) ;;
    *) export PKG_CONFIG_PATH="$pkgconfig\${PKG_CONFIG_PATH:+:\$PKG_CONFIG_PATH}" ;;
esac
case ":\${LD_LIBRARY_PATH:-}:" in
    *":$library:"*) ;;
    *) export LD_LIBRARY_PATH="$library\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" ;;
esac
END_OF_FILE
}
