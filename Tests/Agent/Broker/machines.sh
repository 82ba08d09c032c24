# The machines of deploy/broker/README.md as folders, so that its commands can be followed as they stand there. Sourced by
# run, which sets scratch and beacond.
#
# A machine is a folder in $scratch/machines with root's home, /etc and /var. Host names become addresses of the loopback interface;
# 8883, 8443 and 8080 become free ports. Commands that reach beyond the folder (scp, ssh, systemctl, apt, install's owners) are
# replaced by small ones of the same name. An operator would run everything else unchanged.

readonly chain=127.0.0.1 store=127.0.0.2 web=127.0.0.3 gateway=entrance authority=authority
page=$(realpath README.md)
export machines=$scratch/machines
chain_port=$(free_port 127.0.0.1) store_port=$(free_port 127.0.0.2) page_port=$(free_port 127.0.0.3) plain_port=$(free_port 127.0.0.1)
# For the systemctl of the machines.
export chain store web chain_port store_port page_port plain_port

# end_machines: kills what runs on them.
end_machines() {
    local file
    for file in "$machines"/*/*.pid; do [[ ! -s $file ]] || kill -KILL "$(<"$file")"; done 2>/dev/null
}

# literal MACHINE: replaces the page's words by this test's.
literal() {
    sed -E -e "s/entrance\.berlin-17\.example\.com/$gateway/g; s/page\.berlin-17\.example\.com/$web/g; s/berlin-17\.example\.com/$store/g" \
        -e "s/broker\.example\.com/$chain/g" \
        -e "s/($chain)( -p |:| )8883/\1\2$chain_port/g; s/($store)( -p |:| )8883/\1\2$store_port/g" \
        -e "s,(^|[^:])/(etc|var/lib|usr/local/lib)/(mosquitto|beacond|stunnel|systemd),\1$machines/$1/\2/\3,g"
}

# code SECTION LANGUAGE [NUMBER]: prints the blocks of code below a heading of the page that begins so; the block of that number, or all.
code() {
    awk -v heading="$1" -v fence="\`\`\`$2" -v wanted="${3:-}" '
        /^#+ / { inside = index($0, heading) > 0; number = 0 }
        inside && $0 == fence { shown = 1; number++; next }
        /^```/ { shown = 0 }
        shown && (wanted == "" || number == wanted)' "$page"
}

# follow MACHINE SECTION [NUMBER]: runs the page's commands there, and stops at a failure.
follow() {
    local commands
    commands=$(code "$2" sh "${3:-}" | literal "$1")
    [[ -n $commands ]] || { echo "the page has no commands under $2" && return 1; }
    (cd "$machines/$1" && H=$PWD PATH=$scratch/bin:$PATH exec bash -euo pipefail -c "$commands")
}

# unit MACHINE VERB: does what systemctl does with mosquitto there.
unit() { H=$machines/$1 "$scratch/bin/systemctl" "$2" mosquitto; }

# shim NAME: makes a command from standard input that replaces another.
shim() { { echo '#!/usr/bin/env bash' && cat; } >"$scratch/bin/$1" && chmod +x "$scratch/bin/$1"; }

make_machines() {
    mkdir -p "$scratch/bin" "$machines"/{$chain,$store}/{etc,var/lib}/mosquitto "$machines"/{$chain,$store}/etc/systemd/system "$machines/$store/etc/stunnel" "$machines/$gateway"/{etc,var/lib}/beacond
    cp -r . "$machines/$authority"
    # The page's commands find the chain's files beside their folder.
    mkdir -p "$machines/chain"
    cp -r ../chain/mosquitto "$machines/chain/"
    # They find the page's build there as well. The served file is no page: Tests/Agent/Page/run tests that.
    mkdir -p "$machines/page"
    printf '#!/bin/sh\necho "<!DOCTYPE html>" >index.html\n' >"$machines/page/build"
    chmod +x "$machines/page/build"
    # The broker drops root's rights, as on Debian, if its user exists.
    chmod 711 "$scratch" "$machines"/*
    if ((EUID == 0)) && getent passwd mosquitto >/dev/null; then
        chown mosquitto "$machines"/{$chain,$store}/var/lib/mosquitto
    else
        : >"$machines/without-user"
    fi

    shim apt </dev/null
    shim adduser </dev/null
    # The input that a person would type.
    shim mosquitto_passwd <<'END'
words=("$@")
[[ $* == *-D* ]] || words=(-b "$@" "${*: -1}'s password")
exec /usr/bin/mosquitto_passwd "${words[@]}"
END
    # scp [-r] FILE… root@MACHINE:[PATH]
    shim scp <<'END'
target=${*: -1} machine=${*: -1}
machine=${machine#root@} machine=${machine%%:*} path=${target#*:}
exec cp "${@:1:$#-1}" "$machines/$machine/$path"
END
    # ssh root@MACHINE COMMAND…
    shim ssh <<'END'
machine=${1#root@}
cd "$machines/$machine" && H=$PWD exec "${@:2}"
END
    # Users and groups that this machine lacks, or that only root may give files to, are left out.
    shim install <<'END'
words=()
while (($#)); do
    case $1 in
        -o) getent passwd "$2" >/dev/null && ((EUID == 0)) && words+=(-o "$2"); shift ;;
        -g) getent group "$2" >/dev/null && ((EUID == 0)) && words+=(-g "$2"); shift ;;
        *) words+=("$1") ;;
    esac
    shift
done
exec /usr/bin/install "${words[@]}"
END
    shim chown <<'END'
! getent passwd "${1%%:*}" >/dev/null || exec /bin/chown "$@"
END
    cp "$root/Tests/Agent/Broker/systemctl" "$scratch/bin/"
    # This test does not examine the adapter.
    shim beacond <<END
"$beacond" "\$@"
"$beacond" "\$@" 2>&1 | grep -q '^ok *broker: '
END
}
