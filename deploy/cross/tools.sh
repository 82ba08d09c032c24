# The folder of tools, .build-cross, with which beacond is built for another architecture or another Debian. Sourced by bash from the project's folder, not run.
#
#     compiler/                 a Debian sid with Swift, run by chroot
#     runtime-arm64/            Swift's runtime for arm64, of the same version, unpacked
#     sysroot-SUITE-ARCH/       the libraries and headers of the Debian that it is built for, unpacked
#     sdks/SUITE-ARCH.artifactbundle    what names the two for SwiftPM
#     packaging-SUITE/          that Debian with its packaging tools, and the libraries of both architectures
#     SUITE-ARCH/               the build
#     fetched.txt               name, version and SHA-256 of each Debian package that was held against tools.sh
#
# Each part is made once, under another name until it is complete. To make one again, delete it.

cross=$PWD/.build-cross
# Debian's archive. If sid has a later Swift by now, a snapshot of the archive still has this one.
archive=${BEACOND_DEBIAN_ARCHIVE:-http://deb.debian.org/debian}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# Compiler and runtime must have exactly the same version.
swift_version=6.2.3-1+b1
declare -A sha256_of=(
    [swiftlang_arm64]=bda5df23d26eec0cc7058924611b42bb27667252a0280fb490e4969dbbd975df
    [libswiftlang_arm64]=44b83bfd7165e47d65843799a033a428f440e62482443114042c3cd96b306c24
)
# The version of GCC's libraries in each Debian.
declare -A gcc_of=([bookworm]=12 [trixie]=14)
# The number of each Debian.
declare -A debian_of=([bookworm]=12 [trixie]=13)
declare -A triple_of=([amd64]=x86_64-linux-gnu [arm64]=aarch64-linux-gnu)
# The triples in the module names of Debian's Swift.
declare -A swift_triple_of=([amd64]=x86_64-pc-linux-gnu [arm64]=aarch64-unknown-linux-gnu)

cross_fail() {
    echo "$1" >&2
    return "${2:-69}"
}

# require_cross ARCH SUITE: checks the requirements before anything is fetched. Prints what is missing, and how to get it.
require_cross() {
    local room_kb program
    [[ -n ${triple_of[$1]:-} ]] || cross_fail "--arch $1: there are ${!triple_of[*]}" 64 || return
    [[ -n ${gcc_of[$2]:-} ]] || cross_fail "--suite $2: there are ${!gcc_of[*]}" 64 || return
    [[ $(uname -m) == x86_64 ]] || cross_fail "This builds on amd64; on $(uname -m), with Swift there, deploy/package alone makes the package." || return
    ((EUID == 0)) || cross_fail "This mounts and changes its root: run it as root." 77 || return
    [[ -e $keyring ]] || cross_fail "$keyring is missing: apt-get install debian-archive-keyring" || return
    install_missing $(packages_of mmdebstrap git python3 dpkg-deb) >&2 || return
    command -v qemu-aarch64-static >/dev/null || install_missing qemu-user-static >&2 || return
    for program in unshare chroot sha256sum; do
        command -v "$program" >/dev/null || cross_fail "$program is missing: apt-get install util-linux coreutils" || return
    done
    [[ -d $cross/compiler ]] && return
    mkdir -p "$cross"
    room_kb=$(df --output=avail -k "$cross" | tail -n 1)
    ((room_kb > 9000000)) || cross_fail "$cross needs 9 GB of room and has $((room_kb / 1000000))." 74 || return
}

# bootstrap NAME SUITE OPTION…: makes a root of that name from Debian's own packages, checked by the archive's signature. An expired date is accepted: a
# snapshot's date has always expired.
bootstrap() {
    local name=$1 suite=$2
    shift 2
    [[ ! -d $cross/$name ]] || return 0
    echo "Making $cross/$name from $archive …" >&2
    rm -rf --one-file-system "$cross/$name.new"
    mmdebstrap --quiet --aptopt='Acquire::Check-Valid-Until "false"' "$@" "$suite" "$cross/$name.new" \
        "deb [signed-by=$keyring] $archive $suite main" >&2 || {
        rm -rf --one-file-system "$cross/$name.new"
        cross_fail "$suite of $archive could not be unpacked: see above. Is the archive reached, and has it these packages? BEACOND_DEBIAN_ARCHIVE names another."
        return
    }
}

make_compiler() {
    bootstrap compiler sid --variant=apt --architectures=amd64 \
        --include="swiftlang=$swift_version,swiftlang-dev,git,ca-certificates,pkgconf,libc6-dev,g++,libcurl4-openssl-dev,libxml2-dev,libedit-dev,zlib1g-dev" ||
        return
    [[ ! -d $cross/compiler.new ]] || mv "$cross/compiler.new" "$cross/compiler"
}

# Swift's runtime for arm64 is unpacked, not installed: none of it runs here. apt has folders of its own for it.
make_runtime_arm64() {
    local name deb apt=$cross/apt
    [[ ! -d $cross/runtime-arm64 ]] || return 0
    echo "Fetching Swift's runtime for arm64 (530 MB) …" >&2
    rm -rf "$apt" "$cross/runtime-arm64.new"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$cross/runtime-arm64.new"
    echo "deb [signed-by=$keyring] $archive sid main" >"$apt/sources.list"
    local options=(-q -o "Dir::State=$apt" -o "Dir::State::Lists=$apt/lists" -o Dir::State::status=/dev/null
        -o "Dir::Cache=$apt/cache" -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=-
        -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update >&2 || cross_fail "$archive is not reached: see above." || return
    for name in swiftlang libswiftlang; do
        (cd "$apt" && apt-get "${options[@]}" download "$name=$swift_version" >&2) ||
            cross_fail "Debian's sid has no $name $swift_version any more: name a snapshot of the archive that has it in BEACOND_DEBIAN_ARCHIVE." || return
        deb=$(echo "$apt/$name"_*_arm64.deb)
        echo "${sha256_of[${name}_arm64]}  $deb" | sha256sum --check --quiet >&2 ||
            cross_fail "$deb is not the file that deploy/cross/tools.sh knows by its SHA-256." 65 || return
        echo "$name $swift_version ${sha256_of[${name}_arm64]}" >>"$cross/fetched.txt"
        dpkg-deb --fsys-tarfile "$deb" |
            tar -C "$cross/runtime-arm64.new" -x --wildcards --exclude='*/swift/host/*' './usr/libexec/swift/lib/swift/*' \
                './usr/libexec/swift/lib/swift_static/*' './usr/libexec/swift/lib/clang/*' 2>/dev/null || true
    done
    # Each of the two packages lacks a part of it.
    for name in swift/linux/libswiftCore.so swift_static/linux/aarch64/swiftrt.o clang/17/include/limits.h; do
        [[ -e $cross/runtime-arm64.new/usr/libexec/swift/lib/$name ]] ||
            cross_fail "Swift's packages for arm64 have no $name, or the disk is full." 74 || return
    done
    rm -rf "$apt"
    mv "$cross/runtime-arm64.new" "$cross/runtime-arm64"
}

# runtime_of ARCH: the folder of Swift's runtime, as seen in the compiler's root.
runtime_of() {
    if [[ $1 == amd64 ]]; then echo /usr/libexec/swift/lib; else echo /beacond/.build-cross/runtime-arm64/usr/libexec/swift/lib; fi
}

# make_sysroot ARCH SUITE
make_sysroot() {
    local name=sysroot-$2-$1 link target folder
    [[ ! -d $cross/$name ]] || return 0
    bootstrap "$name" "$2" --variant=extract --architectures="$1" --skip=check/qemu \
        --include="libc6-dev,libstdc++-${gcc_of[$2]}-dev,libgcc-${gcc_of[$2]}-dev,libbluetooth-dev,libmosquitto-dev,libsqlite3-dev,libssl-dev,zlib1g-dev" ||
        return
    local new=$cross/$name.new
    for folder in lib lib64; do [[ -e $new/$folder || ! -e $new/usr/$folder ]] || ln -s "usr/$folder" "$new/$folder"; done
    # Absolute links would lead to this machine's libraries.
    find "$new/usr" "$new"/lib*/ -type l -lname '/*' | while read -r link; do
        target=$(readlink "$link")
        [[ ! -e $new$target ]] || ln -sfn "$(realpath -s --relative-to="$(dirname "$link")" "$new$target")" "$link"
    done
    # Swift's driver looks for its start-up object in the sysroot, whatever the resource options are.
    for folder in swift swift_static; do ln -sfn "$(runtime_of "$1")/$folder" "$new/usr/lib/$folder"; done
    mv "$new" "$cross/$name"
}

# make_sdk ARCH SUITE
make_sdk() {
    local bundle=$cross/sdks/$2-$1.artifactbundle triple=${swift_triple_of[$1]} runtime
    runtime=$(runtime_of "$1")
    mkdir -p "$bundle/sdk"
    cat >"$bundle/info.json" <<END
{"schemaVersion": "1.0", "artifacts": {"$2-$1": {"type": "swiftSDK", "version": "1", "variants": [{"path": "sdk"}]}}}
END
    cat >"$bundle/sdk/swift-sdk.json" <<END
{"schemaVersion": "4.0", "targetTriples": {"$triple": {
  "sdkRootPath": "/beacond/.build-cross/sysroot-$2-$1",
  "swiftResourcesPath": "$runtime/swift", "swiftStaticResourcesPath": "$runtime/swift_static",
  "toolsetPaths": ["toolset.json"]}}}
END
    echo '{"schemaVersion": "1.0", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]}}' >"$bundle/sdk/toolset.json"
}

# make_packaging SUITE: makes one root for both architectures, because dpkg-shlibdeps reads the libraries of each.
make_packaging() {
    local name libraries=''
    for name in libc6 libbluetooth3 libmosquitto1 libsqlite3-0 libstdc++6 libgcc-s1 zlib1g; do libraries+=,$name:amd64,$name:arm64; done
    bootstrap "packaging-$1" "$1" --variant=apt --architectures=amd64,arm64 \
        --include="dpkg-dev,debhelper,python3-minimal,binutils-aarch64-linux-gnu,lintian$libraries" || return
    [[ -d $cross/packaging-$1.new ]] || return 0
    cp -L "$(command -v qemu-aarch64-static)" "$cross/packaging-$1.new/usr/bin/" &&
        mv "$cross/packaging-$1.new" "$cross/packaging-$1"
}

# make_cross_tools ARCH SUITE: makes the missing parts.
make_cross_tools() {
    require_cross "$1" "$2" && make_compiler || return
    [[ $1 == amd64 ]] || make_runtime_arm64 || return
    make_sysroot "$1" "$2" && make_sdk "$1" "$2" && make_packaging "$2"
}

# enter ROOT COMMAND…: runs a command in one of the roots, with the project at /beacond whatever its folder is. So the build contains nothing of this machine.
# The mounts end with the command.
enter() {
    local root=$cross/$1
    shift
    mkdir -p "$root/beacond" "$root/root/.cache/org.swift.swiftpm" "$HOME/.cache/org.swift.swiftpm"
    # shellcheck disable=SC2016
    unshare --mount --propagation private bash -c '
        root=$0 project=$1 packages=$2
        shift 2
        mount --rbind "$project" "$root/beacond" && mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
            mount --bind "$packages" "$root/root/.cache/org.swift.swiftpm" || exit 71
        # SwiftPM fetches packages.
        [[ ! -e /etc/resolv.conf ]] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
        exec chroot "$root" env -i HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 TZ=UTC \
            ${SOURCE_DATE_EPOCH:+SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH} bash -c "cd /beacond && exec \"\$@\"" bash "$@"
    ' "$root" "$PWD" "$HOME/.cache/org.swift.swiftpm" "$@"
}
