# The list of the suites, for deploy/test --list. Sourced by bash after suite.sh, not run.

# purpose RUN: the first sentence of the comment at the head of a suite's script.
purpose() {
    sed -n '2,/^\(#\|[^#].*\|\)$/s/^# //p' "$1" | tr '\n' ' ' | sed -E 's/\. .*/./'
}

# form_of RUN: the form in which deploy/test runs it. `short` is the whole suite, `short, --long` a suite with long parts, and `long` a suite that has
# nothing else.
form_of() {
    if [[ $1 != Tests/*/*/run ]]; then
        echo long
    elif grep -qE '(^|[;&|] *|then )leave ' <(sed 's/^ *//' "$1"); then
        echo "short, --long"
    else
        echo short
    fi
}

# list_suites: a line for each script `run` below Tests, and for the two steps with Swift tests.
list_suites() (
    cd "$root" || exit 1
    local run name
    local row='%-36s %-13s %s\n'
    for run in Tests/*/*/run Tests/*/run; do
        name=${run%/run} name=${name##*/}
        # shellcheck disable=SC2059
        printf "$row" "$name" "$(form_of "$run")" "$(purpose "$run")"
    done
    # shellcheck disable=SC2059
    printf "$row" rules "short, --long" "Runs the Swift tests in Tests/Rules: the rules, on injected time." \
        edges "short, --long" "Runs the Swift tests in Tests/Agent, with a real broker, disk and gpsd."
)
