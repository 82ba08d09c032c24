# Shared by the suites Tests/*/*/run: counting, waiting, and skipping by name. Sourced by bash, not run.
#
#     source "$(dirname "${BASH_SOURCE[0]}")/../../Tools/suite.sh"
#     begin_suite Golden "${1:-}"
#     need mosquitto openssl
#     check "it does what it should" some command
#     finish
#
# Anything left out has a reason, in the form `skipped: SUITE: WHY` or `skipped: SUITE/PART: WHY`, and is counted.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/deploy/lib/requirements.sh"
source "$root/deploy/lib/recordings.sh"

# The longest wait for anything real. It does not measure the agent: a machine at a tenth of the usual speed keeps it.
export PATIENCE_S=300
# Python scripts find waiting.py there, and write no bytecode.
export PYTHONPATH=$root/Tests/Tools PYTHONDONTWRITEBYTECODE=1

# It may be relative to the folder that this is called in.
[[ -z ${BEACOND_RECORDINGS:-} ]] || export BEACOND_RECORDINGS=$(realpath -m -- "$BEACOND_RECORDINGS")

passed=0 failed=0 skipped=0

# at_end COMMAND: runs it when this script ends. A new background process has this shell's traps until it becomes its program. If it is
# killed before that, it must not remove files that the suite still needs.
at_end() { trap "((BASHPID != \$\$)) || $1" EXIT; }

# begin_suite NAME PRODUCTS: PRODUCTS is the folder with beacond, .build/debug where it is empty. Call it before any change of folder. It
# makes the folder $scratch. At the end it removes the folder, and ends the processes that still run.
begin_suite() {
    suite=$1
    products=$(realpath -m -- "${2:-$root/.build/debug}")
    beacond=$products/beacond
    scratch=$(mktemp -d)
    at_end clear_away
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

clear_away() {
    local -a children=()
    mapfile -t children < <(jobs -p)
    { ((${#children[@]} == 0)) || kill -KILL "${children[@]}"; wait; } 2>/dev/null
    rm -rf --one-file-system "$scratch"
}

# A suite that examines $scratch/why after each check redefines it.
after_check() { :; }

# check NAME COMMAND…: counts one check. The command's output is in $scratch/why.
check() {
    local name=$1
    shift
    if "$@" >"$scratch/why" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $name"
        tail -n 20 "$scratch/why" | cut -c 1-500
    fi
    after_check
}

# skip PART WHY
skip() {
    skipped=$((skipped + 1))
    echo "skipped: $suite/$1: $2"
}

# skip_suite WHY: ends the suite.
skip_suite() {
    skipped=$((skipped + 1))
    echo "skipped: $suite: $1"
    finish
}

# lacks PROGRAM…: succeeds where one of them is missing, and prints the missing ones.
lacks() {
    local -a missing=()
    mapfile -t missing < <(packages_of "$@")
    ((${#missing[@]} > 0)) && echo "missing, by their Debian names: ${missing[*]}"
}

# --- The short form and the long parts ----------------------------------------------------------------------------------
#
# A suite that takes long has a short form and long parts, which Tests/Tools/costs lists. SUITE_FORM says which parts of the suite are
# wanted: `all` of them where the variable is not set, `short`, or `rest`, the parts that the short form leaves. SUITE_PARTS may name
# some of these. A part of many equal pieces, as seeds, is divided: with SUITE_SHARE=3/10 its third tenth is wanted.
#
#     leave kill power             the short form leaves these parts; call it after all that may skip the suite
#     if wants kill; then …        this form has the part
#     read -r count before <<<"$(portion 380)"      this run has so many of the 380 pieces, behind so many others
#
# A part that was not given to `leave` belongs to the short form. deploy/test sets `short`, and `rest` for --long and --all.

export SUITE_FORM=${SUITE_FORM:-all}
left_parts=()

# leave PART…: prints what the short form leaves. deploy/test compares that line with the list of long parts.
leave() {
    local line
    left_parts+=("$@")
    printf -v line ', %s' "$@"
    [[ $SUITE_FORM != short ]] || echo "left to --long: $suite: ${line:2}"
}

# is_chosen PART: whether SUITE_PARTS has it, or names none.
is_chosen() { [[ -z ${SUITE_PARTS:-} || " $SUITE_PARTS " == *" $1 "* ]]; }

# wants PART
wants() {
    local is_left=
    [[ " ${left_parts[*]} " != *" $1 "* ]] || is_left=yes
    case $SUITE_FORM in
    short) [[ -z $is_left ]] ;;
    rest) [[ -n $is_left ]] && is_chosen "$1" ;;
    *) true ;;
    esac
}

# portion COUNT: of so many pieces, how many this run has, and how many come before them.
portion() {
    local number=1 of=1
    [[ -z ${SUITE_SHARE:-} ]] || IFS=/ read -r number of <<<"$SUITE_SHARE"
    echo $(($1 * number / of - $1 * (number - 1) / of)) $(($1 * (number - 1) / of))
}

# need PROGRAM…: skips the suite without one of them. From these lines, and from those with "$(lacks …)", deploy/test learns what to
# install.
need() {
    local why
    ! why=$(lacks "$@") || skip_suite "$why"
}

# add_counts LOG: adds the counts in the last line of a log. Returns 1 where there are none.
add_counts() {
    [[ $(tail -n 1 "$1") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]] || return 1
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
}

# counted NAME COMMAND…: runs a script that counts its checks itself, shows what it prints, and adds the counts in its last line.
counted() {
    "${@:2}" 2>&1 | tee "$scratch/counted"
    add_counts "$scratch/counted" || { echo "failed: $1 came to its end" && failed=$((failed + 1)); }
}

# finish: the last line, and the end.
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    ((failed == 0))
    exit
}

# eventually COMMAND…: repeats the command until it succeeds.
eventually() {
    local end=$((SECONDS + PATIENCE_S))
    until "$@"; do
        ((SECONDS < end)) || { echo "not within $PATIENCE_S s: $*" && return 1; }
        sleep 0.1
    done
}

# free_port [ADDRESS]: prints a free port.
free_port() { python3 "$root/Tests/Tools/ports.py" "$@"; }
