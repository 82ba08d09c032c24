# Text of strangers without the characters that a terminal obeys. Sourced by bash, not run.
#
#     plain TEXT      sets $plain: each octet or character that does not print becomes U+FFFD

# Well-formed UTF-8, by octets.
printf -v well_formed '^([\x01-\x7f]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})*$'

plain() {
    local LC_ALL=C unknown=$'\xef\xbf\xbd'
    plain=$1
    [[ $plain =~ $well_formed ]] || plain=${plain//[$'\x80'-$'\xff']/?}
    # Control characters of C0 and C1.
    plain=${plain//[[:cntrl:]]/$unknown}
    plain=${plain//$'\xc2'[$'\x80'-$'\x9f']/$unknown}
    # Invisible characters, ends of lines, and bidirectional marks, embeddings, overrides and isolates.
    plain=${plain//$'\xe2\x80'[$'\x8b'-$'\x8f'$'\xa8'-$'\xae']/$unknown}
    plain=${plain//$'\xe2\x81'[$'\xa0'-$'\xaf']/$unknown}
    plain=${plain//$'\xd8\x9c'/$unknown}
    plain=${plain//$'\xef\xbb\xbf'/$unknown}
}
