# shellcheck shell=bash
# Shared by the scripts. Source it; do not run it.

# shellcheck disable=SC2034
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# The folder for everything that setup downloads and creates.
MIEN_HOME=${MIEN_HOME:-${HOME:?set HOME or MIEN_HOME}/.local/share/mien}
case $MIEN_HOME in
    /*) ;;
    *) MIEN_HOME=$PWD/$MIEN_HOME ;;
esac
export MIEN_HOME

# Setup without root writes env.sh, which tells pkg-config and the loader where OpenVINO is.
load_environment() {
    # shellcheck source=/dev/null
    if [ -f "$MIEN_HOME/env.sh" ]; then . "$MIEN_HOME/env.sh"; fi
}
load_environment
