# The requirements of building and testing beacond: finds the missing ones, and installs them. Sourced by bash, not run.

# Debian puts the broker into a folder of root's PATH alone.
PATH=$PATH:/usr/sbin

# Prints the Debian packages that building lacks, found by their files.
packages_of_build() {
    [[ -e /usr/include/bluetooth/bluetooth.h ]] || echo libbluetooth-dev
    [[ -e /usr/include/mosquitto.h ]] || echo libmosquitto-dev
    [[ -e /usr/include/sqlite3.h ]] || echo libsqlite3-dev
    [[ -e /usr/include/openssl/evp.h ]] || echo libssl-dev
    [[ -e /usr/include/zlib.h ]] || echo zlib1g-dev
    command -v mosquitto >/dev/null || echo mosquitto
    command -v mosquitto_sub >/dev/null || echo mosquitto-clients
    # SwiftPM clones the packages that beacond is built from.
    command -v git >/dev/null || printf '%s\n' git ca-certificates
}

# The Debian package of each program whose name differs.
declare -A package_of=(
    [ansible-playbook]=ansible-core [apt-ftparchive]=apt-utils [busybox]=busybox-static [cc]=gcc [depmod]=kmod [dh]=debhelper [dpkg-buildpackage]=dpkg-dev [gpg]=gnupg [gpsfake]=gpsd-clients
    [hciconfig]=bluez [ip]=iproute2 [java]=default-jre-headless [man]=man-db [mkfs.ext4]=e2fsprogs [mosquitto_passwd]=mosquitto [mosquitto_pub]=mosquitto-clients
    [mosquitto_rr]=mosquitto-clients [mosquitto_sub]=mosquitto-clients [nft]=nftables [promtool]=prometheus [psql]=postgresql-client [qemu-storage-daemon]=qemu-system-common [qemu-system-aarch64]=qemu-system-arm [qemu-system-x86_64]=qemu-system-x86
    [objdump]=binutils [pdftotext]=poppler-utils [pkill]=procps [readelf]=binutils [ssh]=openssh-client [ssh-keygen]=openssh-client
    [stunnel]=stunnel4 [systemd-analyze]=systemd [systemd-nspawn]=systemd-container [unshare]=util-linux
)

# Prints the folder of PostgreSQL's programs, which is not in Debian's PATH; nothing where there is no server.
postgresql_programs() {
    find /usr/lib/postgresql/*/bin /usr/bin -maxdepth 1 -name initdb -printf '%h\n' 2>/dev/null | sort -V | tail -n 1
}

# packages_of PROGRAM…: prints the Debian packages of the missing programs. python3-venv, libc6-dev, mosquitto-dev, libjs-leaflet, postgresql and libraries
# are no programs, and are found by their files.
packages_of() {
    local program
    for program in "$@"; do
        case $program in
        python3-markdown-it) /usr/bin/python3 -c 'import markdown_it' 2>/dev/null || echo python3-markdown-it ;;
        python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv ;;
        mosquitto-dev) [[ -e /usr/include/mosquitto_plugin.h ]] || echo mosquitto-dev ;;
        libc6-dev) [[ -e /usr/include/stdio.h ]] || echo libc6-dev ;;
        libjs-leaflet) [[ -e /usr/share/javascript/leaflet/leaflet.min.js ]] || echo libjs-leaflet ;;
        libpangoft2-1.0-0) compgen -G "/usr/lib/*/libpangoft2-1.0.so.0" >/dev/null || echo "$program" ;;
        libharfbuzz-subset0) compgen -G "/usr/lib/*/libharfbuzz-subset.so.0" >/dev/null || echo "$program" ;;
        postgresql) [[ -n $(postgresql_programs) ]] || echo postgresql ;;
        *) command -v "$program" >/dev/null || echo "${package_of[$program]:-$program}" ;;
        esac
    done | sort -u
}

# Installs the packages that building lacks. Where none is missing it calls no other program and needs no rights. Returns 1 after one line of explanation where
# they can't be installed.
install_packages() {
    local -a missing=()
    mapfile -t missing < <(packages_of_build)
    install_missing "${missing[@]}"
}

# as_root COMMAND…: sudo may ask for a password, but only on a terminal.
as_root() {
    if ((EUID == 0)); then "$@"; elif [[ -t 0 ]]; then sudo "$@"; else sudo -n "$@"; fi
}

# install_missing [PACKAGE…]
install_missing() {
    local -a missing=("$@")
    ((${#missing[@]})) || return 0
    local by_hand="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"

    if ! command -v apt-get >/dev/null; then
        echo "Missing, by their Debian names: ${missing[*]}. Install them, then run this again." >&2
        return 1
    fi
    if ! as_root true 2>/dev/null; then
        echo "Packages are missing and only root can install them; run as root: $by_hand" >&2
        return 1
    fi
    echo "Installing ${missing[*]} …"
    local log
    log=$(mktemp)
    if as_root apt-get -q update >"$log" 2>&1 &&
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get -q install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    tail -n 5 "$log" >&2
    rm -f "$log"
    echo "apt-get failed; try it yourself as root: $by_hand" >&2
    return 1
}

# Returns 1 after one line of explanation where .build of this folder was made in another folder: the compiler's caches hold the paths of the other one.
# SwiftPM writes the path into each checkout and never changes it there.
require_own_build() {
    local place made_in
    for place in .build/checkouts/*/.git/objects/info/alternates; do
        [[ -e $place ]] || return 0
        made_in=$(sed -n '1s,/\.build/repositories/.*,,p' "$place")
        [[ $(realpath -m -- "$made_in") == $(pwd -P) ]] && return 0
        echo "This folder's .build was made in $made_in and is of no use here: remove .build, then run this again." >&2
        return 1
    done
}

# Returns 1 after one line of explanation where the Swift toolchain is missing or too old, or where .build is another folder's.
require_swift() {
    local version
    require_own_build || return 1
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
