# Recordings of real radio traffic, which are no part of the project. Sourced by bash, not run.

# recordings [NAME…]: prints the folder of recordings that BEACOND_RECORDINGS names, where it holds each NAME. Returns 1 after
# a line that names what is missing.
recordings() {
    local name folder=${BEACOND_RECORDINGS:-}
    if [[ -z $folder ]]; then
        echo "BEACOND_RECORDINGS names no folder of recordings"
        return 1
    fi
    for name in "" "$@"; do
        [[ -e $folder/$name ]] && continue
        echo "BEACOND_RECORDINGS: there is no ${folder%/}${name:+/$name}"
        return 1
    done
    realpath -- "$folder"
}
