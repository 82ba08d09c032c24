# The machines of deploy/broker/README.md as folders, so that its commands can be followed as they stand there. Sourced by
# run, which sets scratch, beacond, chain_port and store_port.
#
# A machine is a folder in $scratch/machines, in which root's home, /etc and /var lie. Host names become addresses of the
# loopback interface, 8883 becomes a free port, and the commands that reach beyond the folder (scp, ssh, systemctl, apt,
# install's owners) are replaced by small ones of the same name. Everything else is what an operator would run.

readonly chain=127.0.0.1 store=127.0.0.2 gateway=entrance authority=authority
page=$(realpath README.md)
export machines=$scratch/machines

# literal MACHINE: the page's words for this test's.
literal() {
    sed -E -e "s/entrance\.berlin-17\.example\.com/$gateway/g; s/berlin-17\.example\.com/$store/g" \
        -e "s/broker\.example\.com/$chain/g" \
        -e "s/($chain)( -p |:| )8883/\1\2$chain_port/g; s/($store)( -p |:| )8883/\1\2$store_port/g" \
        -e "s,(^|[^:])/(etc|var/lib)/(mosquitto|beacond),\1$machines/$1/\2/\3,g"
}

# code SECTION LANGUAGE [NUMBER]: the blocks of code below a heading of the page that begins so; the one of that number, or all.
code() {
    awk -v heading="$1" -v fence="\`\`\`$2" -v wanted="${3:-}" '
        /^#+ / { inside = index($0, heading) > 0; number = 0 }
        inside && $0 == fence { shown = 1; number++; next }
        /^```/ { shown = 0 }
        shown && (wanted == "" || number == wanted)' "$page"
}

# follow MACHINE SECTION [NUMBER]: runs what the page says, there, and stops where something fails.
follow() {
    local commands
    commands=$(code "$2" sh "${3:-}" | literal "$1")
    [[ -n $commands ]] || { echo "the page has no commands under $2" && return 1; }
    (cd "$machines/$1" && H=$PWD PATH=$scratch/bin:$PATH exec bash -euo pipefail -c "$commands")
}

# unit MACHINE VERB: what systemctl does with mosquitto there.
unit() { H=$machines/$1 "$scratch/bin/systemctl" "$2" mosquitto; }

# shim NAME: a command from standard input that takes another's place.
shim() { { echo '#!/usr/bin/env bash' && cat; } >"$scratch/bin/$1" && chmod +x "$scratch/bin/$1"; }

make_machines() {
    mkdir -p "$scratch/bin" "$machines"/{$chain,$store}/{etc,var/lib}/mosquitto "$machines/$gateway"/{etc,var/lib}/beacond
    cp -r . "$machines/$authority"
    # The page's commands find the chain's files beside their folder.
    mkdir -p "$machines/chain"
    cp -r ../chain/mosquitto "$machines/chain/"
    # The broker leaves root's rights, as it does on Debian, where there is a user to become.
    chmod 711 "$scratch" "$machines"/*
    if ((EUID == 0)) && getent passwd mosquitto >/dev/null; then
        chown mosquitto "$machines"/{$chain,$store}/var/lib/mosquitto
    else
        : >"$scratch/without-user"
    fi

    shim apt </dev/null
    # scp FILE… root@MACHINE:[PATH]
    shim scp <<'END'
target=${*: -1} machine=${*: -1}
machine=${machine#root@} machine=${machine%%:*} path=${target#*:}
exec cp -- "${@:1:$#-1}" "$machines/$machine/$path"
END
    # ssh root@MACHINE COMMAND…
    shim ssh <<'END'
machine=${1#root@}
cd "$machines/$machine" && H=$PWD exec "${@:2}"
END
    # Users and groups that this machine has not, or that only root may give files to, are left out.
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
    shim systemctl <<END
config=\$H/mosquitto.conf
address=\${H##*/}
[[ \$address == $chain ]] && port=$chain_port || port=$store_port
stop() {
    [[ -s \$H/pid ]] || return 0
    kill "\$1" "\$(<"\$H/pid")"
    while kill -0 "\$(<"\$H/pid")" 2>/dev/null; do sleep 0.1; done
    : >"\$H/pid"
}
start() {
    # The shortest pause that the bridge may make before it tries again, so that nobody waits for the longest.
    sed -e "s|/etc/mosquitto/beacond|\$H/etc/mosquitto/beacond|; s|/var/lib/mosquitto/|\$H/var/lib/mosquitto/|" \\
        -e "s|^listener 8883|listener \$port \$address|; s|^address .*|address $chain:$chain_port|" \\
        -e 's|^restart_timeout .*|restart_timeout 1 2|' "\$H/etc/mosquitto/mosquitto.conf" >"\$config"
    [[ ! -e $scratch/without-user ]] || echo "user \$(id -un)" >>"\$config"
    mosquitto -c "\$config" >>"\$H/log" 2>&1 </dev/null &
    echo \$! >"\$H/pid"
    for _ in {1..100}; do
        (: <"/dev/tcp/\$address/\$port") 2>/dev/null && return 0
        kill -0 "\$(<"\$H/pid")" 2>/dev/null || break
        sleep 0.1
    done
    tail -n 5 "\$H/log"
    return 1
}
case "\$1 \$2" in
    "start mosquitto") start ;;
    "restart mosquitto") stop -TERM && start ;;
    "stop mosquitto") stop -TERM ;;
    "reload mosquitto") kill -HUP "\$(<"\$H/pid")" ;;
    "restart beacond") ;;
    *) exit 1 ;;
esac
END
    # The adapter is not what is looked at here.
    shim beacond <<END
"$beacond" "\$@"
"$beacond" "\$@" 2>&1 | grep -q '^ok *broker: '
END
}
