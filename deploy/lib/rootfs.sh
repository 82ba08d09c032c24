# The files of an image, unpacked from Debian's packages. Nothing is installed or run, so neither root nor an emulator is needed. Sourced by bash
# after requirements.sh and cross/tools.sh, not run.
#
#     .build-image/SUITE-ARCH/       apt's lists and fetched packages
#     .build-image/pip/              a pip for the collector's libraries
#
# Debian's signature vouches for each package. BEACOND_DEBIAN_ARCHIVE and BEACOND_DEBIAN_SECURITY name other archives, such as snapshots.

images=$PWD/.build-image
security=${BEACOND_DEBIAN_SECURITY:-http://deb.debian.org/debian-security}
# The user of every image: it owns nothing but the folder for the state.
user=65532
# The package of OpenSSL's libraries, and Python's version, in each Debian.
declare -A base_of=([bookworm]=libssl3 [trixie]=libssl3t64)
declare -A python_of=([bookworm]=3.11 [trixie]=3.13)
# Other packages need these only while they are installed. apt takes them for installed.
present=(dpkg debconf mawk openssl install-info systemd)

# use_apt SUITE ARCH: folders of apt's own for that Debian, with its present lists.
use_apt() {
    local suite=$1 arch=$2 name
    apt=$images/$suite-$arch
    mkdir -p "$apt"/{lists,archives}/partial
    for name in "$suite main" "$suite-updates main"; do echo "deb [signed-by=$keyring] $archive $name"; done >"$apt/sources.list"
    echo "deb [signed-by=$keyring] $security $suite-security main" >>"$apt/sources.list"
    for name in "${present[@]}"; do
        printf 'Package: %s\nStatus: install ok installed\nVersion: 999\nArchitecture: %s\nMulti-Arch: foreign\nMaintainer: -\nDescription: -\n' "$name" "$arch"
        case $name in debconf) echo "Provides: debconf-2.0" ;; mawk) echo "Provides: awk" ;; esac
        echo
    done >"$apt/status"
    apt_options=(-q -q -o "Dir::State=$apt" -o "Dir::State::Lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt"
        -o "Dir::Cache::archives=$apt/archives" -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o Dir::Etc::PreferencesParts=/dev/null -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o APT::Sandbox::User= -o Debug::NoLocking=1
        -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false)
    apt-get "${apt_options[@]}" update --error-on=any >&2 || { echo "The lists of $archive and $security could not be fetched: see above." >&2 && return 69; }
}

# fetch NAME…: fetches these packages and their dependencies, and prints the files.
fetch() {
    local uri file
    apt-get "${apt_options[@]}" install --yes --no-install-recommends --download-only "$@" >&2 || return
    # Among other folders, because apt prints no address of a package that it has.
    apt-get "${apt_options[@]}" -o "Dir::Cache::archives=$apt/none" install --yes --no-install-recommends --print-uris "$@" |
        while read -r uri file _; do echo "$apt/archives/$file"; done
}

# What an image has no use for: documents but the licences, character sets, tools.
left_out=('./usr/share/doc/*/*' './usr/share/man/*' './usr/share/locale/*' './usr/share/lintian/*' './usr/share/doc-base/*' './usr/share/bug/*'
    './usr/share/bash-completion/*' './usr/share/zsh/*' './usr/share/fish/*' './usr/share/applications/*' './usr/share/pixmaps/*'
    './usr/share/zoneinfo/right/*' './usr/share/zoneinfo/posix/*' './usr/lib/*/gconv/*' './lib/systemd/*' './usr/lib/systemd/*'
    './usr/lib/sysusers.d/*' './usr/sbin/*' './usr/bin/pdb*' './usr/bin/pydoc*' './usr/bin/pygettext*' './usr/bin/tzselect' './usr/share/binfmts/*'
    './usr/share/gcc/*' './usr/share/gdb/*' './usr/share/info/*' './usr/share/readline/*' './usr/lib/*/bluetooth/*')

# unpack FOLDER PACKAGE.deb…: unpacks packages into a layer. Scanners find each package in /var/lib/dpkg/status.d, as in other images without dpkg.
unpack() {
    local root=$1/root package name pattern options=()
    shift
    mkdir -p "$root"/usr/{bin,lib,lib64,sbin} "$root/var/lib/dpkg/status.d"
    for name in bin lib lib64 sbin; do ln -sfn "usr/$name" "$root/$name"; done
    for pattern in "${left_out[@]}"; do options+=("--exclude=$pattern"); done
    for package in "$@"; do
        name=$(dpkg-deb -f "$package" Package)
        dpkg-deb --fsys-tarfile "$package" | tar -C "$root" -x --keep-directory-symlink --no-same-owner "${options[@]}" || return
        # The licence stays. The documents of some packages are a link to those of another one.
        dpkg-deb --fsys-tarfile "$package" |
            tar -C "$root" -x --keep-directory-symlink --no-same-owner "./usr/share/doc/$name/copyright" 2>/dev/null || true
        dpkg-deb -f "$package" | sed '/^Package:/a Status: install ok installed' >"$root/var/lib/dpkg/status.d/$name"
    done
    find "$root/usr" "$root/etc" "$root/var" -depth -mindepth 1 -type d -empty -delete 2>/dev/null
    find "$root" -xtype l -lname 'usr/*' -delete
}

# base_layer FOLDER SUITE: what each image begins with: C library, TLS, authorities, time zones, names of the system and its users.
base_layer() {
    local root=$1/root package packages
    packages=$(fetch "${base_of[$2]}" base-files ca-certificates tzdata libc6 libgcc-s1) || return
    unpack "$1" $(grep -v /base-files_ <<<"$packages" | sort) || return
    package=$(grep /base-files_ <<<"$packages")
    dpkg-deb --fsys-tarfile "$package" | tar -C "$root" -x --no-same-owner ./usr/lib/os-release ./etc/os-release ./etc/debian_version ./usr/share/common-licenses &&
        dpkg-deb -f "$package" | sed '/^Package:/a Status: install ok installed' >"$root/var/lib/dpkg/status.d/base-files" || return
    # As update-ca-certificates does it: one file, and one for each name's hash. OpenSSL looks in /usr/lib/ssl.
    mkdir -p "$root"/{run,tmp,etc/ssl/certs,usr/lib/ssl}
    cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt" &&
        cp "$root"/usr/share/ca-certificates/mozilla/*.crt "$root/etc/ssl/certs/" && openssl rehash "$root/etc/ssl/certs" 2>/dev/null || return
    ln -s ../../../etc/ssl/certs "$root/usr/lib/ssl/certs" && ln -s certs/ca-certificates.crt "$root/usr/lib/ssl/cert.pem" || return
    rm -rf "$root/usr/share/ca-certificates" "$root/etc/ld.so.conf" "$root/etc/ld.so.conf.d"
    printf '%s\n' 'root:x:0:0:root:/:/nologin' "nonroot:x:$user:$user:nonroot:/:/nologin" >"$root/etc/passwd"
    printf '%s\n' 'root:x:0:' "nonroot:x:$user:" >"$root/etc/group"
    echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
    echo '0 1777 tmp' >"$1/owned"
}

# further_layer FOLDER BASE NAME…: these packages with their dependencies, without those that BASE has.
further_layer() {
    local folder=$1 base=$2 package wanted=()
    shift 2
    fetch "$@" | sort >"$folder.packages" || return
    while read -r package; do
        [[ -e $base/root/var/lib/dpkg/status.d/$(dpkg-deb -f "$package" Package) ]] || wanted+=("$package")
    done <"$folder.packages"
    rm "$folder.packages"
    unpack "$folder" "${wanted[@]}"
}
