# Machines for the playbooks: bare Debian 12 systems with sshd, booted by systemd-nspawn, each with a systemd, a network and a host name of
# its own. Sourced by run after begin_suite, not run.
#
# They share a bridge in a network namespace that ends with the suite. The control machine's commands run in it too (`control`). A proxy is
# the only way out, to Debian's archive and PyPI.

readonly hub_address=10.77.0.1 proxy_port=3128
declare -A process=()
hub='' hosts=$scratch/hosts

# control COMMAND…: runs it as on the control machine, which knows the machines' names.
control() { nsenter --net="/proc/$hub/ns/net" unshare --mount bash -c 'mount --bind "$1" /etc/hosts && shift && exec "$@"' - "$hosts" "$@"; }

# on MACHINE COMMAND…: runs it there, by ssh.
on() { control ssh -F "$scratch/ssh_config" "$1" "${@:2}" </dev/null; }

# bare_debian: the archive of a system, which stays for the next run.
bare_debian() {
    local archive=$root/.build-ansible/root.tar parts=systemd,dbus,openssh-server,python3
    mkdir -p "${archive%/*}"
    [[ -e $archive && $(cat "$archive.parts" 2>/dev/null) == "$parts" ]] && return 0
    mmdebstrap --variant=minbase --format=tar --include="$parts" bookworm "$archive.new" &&
        mv "$archive.new" "$archive" && echo "$parts" >"$archive.parts"
}

has_network() { [[ $(readlink "/proc/$hub/ns/net") != $(readlink /proc/self/ns/net) ]]; }
make_hub() {
    unshare --net sleep infinity &
    hub=$!
    eventually has_network || return 1
    cp /etc/hosts "$hosts"
    nsenter --net="/proc/$hub/ns/net" bash -ec "ip link set lo up; ip link add hub type bridge; ip address add $hub_address/24 dev hub; ip link set hub up" || return 1
    "$here/proxy.py" "/proc/$hub/ns/net" "$hub_address" "$proxy_port" >"$scratch/proxy.log" 2>&1 &
    eventually grep -q listening "$scratch/proxy.log" || return 1
    ssh-keygen -q -t ed25519 -N '' -f "$scratch/key"
    printf '%s\n' 'Host *' 'User root' "IdentityFile $scratch/key" 'StrictHostKeyChecking no' "UserKnownHostsFile $scratch/known_hosts" \
        'LogLevel ERROR' >"$scratch/ssh_config"
}

# make_machine NAME NUMBER: its files, and its address by the number.
make_machine() {
    local debian=$scratch/machines/$1
    mkdir -p "$debian"
    tar -C "$debian" -xf "$root/.build-ansible/root.tar" --exclude='./dev/*' || return 1
    echo "10.77.0.$2 $1" >>"$hosts"
    echo "$1" >"$debian/etc/hostname"
    printf '[Match]\nName=host0\n[Network]\nAddress=10.77.0.%s/24\n' "$2" >"$debian/etc/systemd/network/10-host0.network"
    ln -sf /lib/systemd/system/systemd-networkd.service "$debian/etc/systemd/system/multi-user.target.wants/"
    printf 'Acquire::http::Proxy "http://%s:%s";\nAcquire::http::Proxy::%s "DIRECT";\n' $hub_address $proxy_port $hub_address >"$debian/etc/apt/apt.conf.d/90proxy"
    # The machine ends with the suite: dpkg need not sync its files.
    echo force-unsafe-io >"$debian/etc/dpkg/dpkg.cfg.d/unsafe-io"
    # A network may have an authority of its own, which this machine trusts.
    cp /etc/ssl/certs/ca-certificates.crt "$debian/etc/pip-authorities.crt"
    printf '[global]\nproxy = http://%s:%s\ncert = /etc/pip-authorities.crt\n' "$hub_address" "$proxy_port" >"$debian/etc/pip.conf"
    install -D -m 600 "$scratch/key.pub" "$debian/root/.ssh/authorized_keys"
}

# own_cgroup NAME: moves this process into a group of its own in each hierarchy that a systemd uses. Two machines in one would end each
# other's services.
own_cgroup() {
    local hierarchy folder
    for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
        [[ -e $hierarchy/cgroup.procs ]] || continue
        folder=$hierarchy/beacond-ansible-$1
        mkdir -p "$folder" && echo "$BASHPID" >"$folder/cgroup.procs"
    done
}

# boot NAME: starts it in the background.
boot() {
    local name=$1 options=()
    # A debug build finds Swift's libraries where they were built.
    [[ -z ${swift_folder:-} ]] || options=(--bind-ro="$swift_folder")
    cp "$hosts" "$scratch/machines/$name/etc/hosts"
    (
        own_cgroup "${scratch##*/}-$name" || exit 1
        exec nsenter --net="/proc/$hub/ns/net" systemd-nspawn --quiet --directory="$scratch/machines/$name" --machine="${name%%.*}-$$" \
            --hostname="$name" --register=no --keep-unit --resolv-conf=off --network-bridge=hub "${options[@]}" --boot
    ) >"$scratch/console-$name" 2>&1 </dev/null &
    process[$name]=$!
}

# booted NAME: waits for its sshd; 1 where the machine ended or never answers.
booted() {
    local end=$((SECONDS + PATIENCE_S))
    until on "$1" true 2>/dev/null; do
        kill -0 "${process[$1]}" 2>/dev/null && ((SECONDS < end)) || return 1
        sleep 0.2
    done
}

stop_machines() {
    local name folder
    # Without its first process a machine is gone at once, and systemd-nspawn clears up.
    for name in "${!process[@]}"; do pkill -KILL --parent "${process[$name]}"; done
    for name in "${!process[@]}"; do wait "${process[$name]}" 2>/dev/null; done
    for folder in /sys/fs/cgroup/{,unified/,systemd/}beacond-ansible-"${scratch##*/}"-*; do
        [[ ! -d $folder ]] || find "$folder" -depth -type d -exec rmdir {} + 2>/dev/null
    done
    clear_away
}
