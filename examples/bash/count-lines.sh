#!/usr/bin/env bash
# Count the lines of a file. With --json, standard output is one result and nothing else.
set -u
export LC_ALL=C # bytes are bytes, and the system's reasons are in English

# finish STATUS MESSAGE [JQ-ARGUMENT...]: tell the outcome, and end with an exit status that agrees.
finish() {
    local status=$1 message=$2 success=false to=2
    if ((status == 0)); then success=true to=1; fi
    if $json; then
        jq -cn --argjson success "$success" --arg message "$message" "${@:3}" '$ARGS.named'
    else
        printf '%s\n' "$message" >&"$to"
    fi || status=1 # What could not be told did not succeed.
    exit "$status"
}

json=false options=true wrong=false files=()
for word in "$@"; do
    case $options:$word in
        true:--) options=false ;;
        true:--json) json=true ;;
        true:-*) wrong=true ;;
        *) files+=("$word") ;;
    esac
done
if $wrong || ((${#files[@]} != 1)); then
    finish 2 "Name one file: count-lines [--json] [--] FILE" --arg error_code usage_error
fi
path=${files[0]}
# jq replaces what is not UTF-8, so such a name does not come back as it was.
if [[ $(jq -jn --arg path "$path" '$path + "."') != "$path." ]]; then
    finish 1 "The file's name is not UTF-8, so no result can tell it." --arg error_code path_not_text
fi

file=$path
if [[ $file == - ]]; then file=./-; fi # grep alone means standard input
told=$(grep -ac '' -- "$file" 2>&1)
if (($? < 2)); then # 1: no line
    finish 0 "Lines in $path: $told." --arg path "$path" --argjson line_count "$told"
fi
reason=${told##*: } reason=${reason%%$'\n'*}
case $reason in
    "No such file or directory") code=path_not_found what="was not found" ;;
    "Permission denied") code=permission_denied what="may not be read" ;;
    "Is a directory") code=not_a_file what="is a folder" ;;
    *) code=os_error what="could not be read" ;;
esac
finish 1 "$path $what." --arg error "$reason" --arg error_code "$code" --arg path "$path"
