# shellcheck shell=bash
# Removes everything that setup installed, except Debian packages. Needs workplace.sh (lock),
# downloads.sh, openvino-system.sh, model-pack.sh, and demo-photos.sh (what is where).

uninstall() {
    if [ -d "$state" ]; then lock; fi
    remove_system_openvino
    remove_photos
    rm -rf "$downloads" "$MIEN_HOME/openvino" "$MIEN_HOME/env.sh" "$MIEN_HOME/definitions" "$state" \
        "$MIEN_HOME"/packs/{,.}{$basic_pack,$better_pack}{,.stamp}
    # Removes only empty directories, because other files are not from setup.
    rmdir "$photos" "$MIEN_HOME/demo" "$MIEN_HOME/packs" "$MIEN_HOME" 2>/dev/null || true
    echo "Removed what setup installed in $MIEN_HOME. Debian packages stay."
    if [ $missing != 0 ]; then exit 3; fi
}
