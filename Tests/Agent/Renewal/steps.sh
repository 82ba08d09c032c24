# Kills beacond-renew, with all that it started, before the command of number KILL_AT. BASH_ENV names this file. The count of commands
# is in the file STEPS, because subshells count too.
if [[ $0 == */beacond-renew ]]; then
    step() {
        local count
        count=$(($(<"$STEPS") + 1))
        echo "$count" >"$STEPS"
        ((count < KILL_AT)) || kill -KILL -- "-$$"
    }
    set -T
    trap step DEBUG
fi
