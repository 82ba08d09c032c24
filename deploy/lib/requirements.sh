# What building beacond needs, for deploy/quickstart and deploy/test. Sourced by bash, not run.

# Debian puts the broker where only root looks.
PATH=$PATH:/usr/sbin

# Prints the Debian packages that are missing, by looking for what they would install.
missing_packages() {
    [[ -e /usr/include/bluetooth/bluetooth.h ]] || echo libbluetooth-dev
    [[ -e /usr/include/mosquitto.h ]] || echo libmosquitto-dev
    [[ -e /usr/include/sqlite3.h ]] || echo libsqlite3-dev
    command -v mosquitto >/dev/null || echo mosquitto
    command -v mosquitto_sub >/dev/null || echo mosquitto-clients
    # SwiftPM clones the packages that beacond is built from.
    command -v git >/dev/null || printf '%s\n' git ca-certificates
}

# Installs the packages that are missing. Without any missing it calls no other program and needs no rights.
# Returns 1 after one line of explanation where they can't be installed.
install_packages() {
    local -a missing as_root=()
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0
    local by_hand="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"

    if ! command -v apt-get >/dev/null; then
        echo "Missing, by their Debian names: ${missing[*]}. Install them, then run this again." >&2
        return 1
    fi
    if ((EUID != 0)); then
        # sudo may ask for a password, but only where somebody can type one.
        if ! command -v sudo >/dev/null || { [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; }; then
            echo "Packages are missing and only root can install them; run as root: $by_hand" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    echo "Installing ${missing[*]} …"
    local log
    log=$(mktemp)
    if "${as_root[@]}" apt-get -q update >"$log" 2>&1 &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get -q install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    tail -n 5 "$log" >&2
    rm -f "$log"
    echo "apt-get failed; try it yourself as root: $by_hand" >&2
    return 1
}

# Returns 1 after one line of explanation where there is no Swift toolchain, or too old a one.
require_swift() {
    local version
    if ! command -v swift >/dev/null; then
        echo "No Swift toolchain: install Swift 6.2 or later from https://www.swift.org/install/linux/ and put it on PATH." >&2
        return 1
    fi
    version=$(swift --version 2>/dev/null)
    if [[ $version =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] &&
        ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] >= 6002)); then
        return 0
    fi
    echo "Swift 6.2 or later is needed, and $(command -v swift) is ${BASH_REMATCH[0]:-broken}: https://www.swift.org/install/linux/" >&2
    return 1
}
