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
        : >"$scratch/without-user"
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
    shim systemctl <<END
address=\${H##*/}
[[ \$address == $chain ]] && port=$chain_port || port=$store_port
# paths: replaces the files' paths by those of this machine.
paths() { sed -E "s,(^| )/(etc|var/lib|usr/local/lib)/(mosquitto|beacond-page|stunnel),\1\$H/\2/\3,"; }
# stop UNIT
stop() {
    local pid
    [[ -s \$H/\$1.pid ]] || return 0
    pid=\$(<"\$H/\$1.pid")
    kill -TERM "\$pid"
    while kill -0 "\$pid" 2>/dev/null; do sleep 0.1; done
    : >"\$H/\$1.pid"
}
# begin UNIT ADDRESS PORT COMMAND…
begin() {
    local unit=\$1 address=\$2 port=\$3
    shift 3
    "\$@" >>"\$H/\$unit.log" 2>&1 </dev/null &
    echo \$! >"\$H/\$unit.pid"
    for _ in {1..100}; do
        (: <"/dev/tcp/\$address/\$port") 2>/dev/null && return 0
        kill -0 "\$(<"\$H/\$unit.pid")" 2>/dev/null || break
        sleep 0.1
    done
    tail -n 5 "\$H/\$unit.log"
    return 1
}
start() {
    local config=\$H/\$1.conf
    case \$1 in
    mosquitto)
        # The shortest pause that the bridge may make before it tries again, so that the test need not wait for the longest.
        paths <"\$H/etc/mosquitto/mosquitto.conf" | sed -e "s|^listener 8883|listener \$port \$address|" \\
            -e "s|^address .*|address $chain:$chain_port|; s|^restart_timeout .*|restart_timeout 1 2|" >"\$config"
        [[ ! -e $scratch/without-user ]] || echo "user \$(id -un)" >>"\$config"
        begin mosquitto \$address \$port mosquitto -c "\$config"
        ;;
    beacond-page)
        paths <"\$H/etc/beacond-page/mosquitto.conf" | sed -e "s|^listener 8080 |listener $plain_port |; s|^listener 0 .*|listener 0 \$H/socket|" \\
            -e "s|^address .*|address $store:$store_port|; s|^restart_timeout .*|restart_timeout 1 2|" >"\$config"
        echo "user \$(id -un)" >>"\$config"
        begin beacond-page 127.0.0.1 $plain_port mosquitto -c "\$config"
        ;;
    stunnel@page)
        paths <"\$H/etc/stunnel/page.conf" | sed -e '/^set[ug]id/d' \\
            -e "s|^accept = .*|accept = $web:$page_port|; s|^connect = .*|connect = 127.0.0.1:$plain_port|" >"\$config"
        begin stunnel@page $web $page_port stunnel "\$config"
        ;;
    *) return 1 ;;
    esac
}
verb=\$1
shift
[[ \$verb != enable || \$1 != --now ]] || { verb=start && shift; }
[[ \$verb != daemon-reload ]] || exit 0
for unit in "\$@"; do
    case "\$verb \$unit" in
    "restart beacond") ;;
    start*) start \$unit || exit ;;
    restart*) stop \$unit && start \$unit || exit ;;
    stop*) stop \$unit ;;
    reload*) kill -HUP "\$(<"\$H/\$unit.pid")" ;;
    *) exit 1 ;;
    esac
done
END
    # This test does not examine the adapter.
    shim beacond <<END
"$beacond" "\$@"
"$beacond" "\$@" 2>&1 | grep -q '^ok *broker: '
END
}
