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

# The options of the quick build: of tests, and of the first programs. It has a folder of its own, because other
# debug builds have other flags. Each batch of files reads its whole module, so there is one batch for each
# processor, not one for 25 files.
# shellcheck disable=SC2034
quick_options=(-Xswiftc -gnone -Xswiftc -driver-batch-size-limit -Xswiftc 2000 --disable-index-store
    --scratch-path .build/tests)
# shellcheck disable=SC2034
test_options=(--enable-swift-testing --disable-xctest "${quick_options[@]}")
