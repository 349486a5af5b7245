# shellcheck shell=bash
# What the scripts share. Sourced, not run.

# shellcheck disable=SC2034
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# Where set-up keeps what it fetches and makes.
MIEN_HOME=${MIEN_HOME:-${HOME:?set HOME or MIEN_HOME}/.local/share/mien}
case $MIEN_HOME in
    /*) ;;
    *) MIEN_HOME=$PWD/$MIEN_HOME ;;
esac
export MIEN_HOME

# Set-up without root rights leaves env.sh: where OpenVINO is for pkg-config and the loader.
load_environment() {
    # shellcheck source=/dev/null
    if [ -f "$MIEN_HOME/env.sh" ]; then . "$MIEN_HOME/env.sh"; fi
}
load_environment
