#!/usr/bin/env bash
# make-evidence.sh FOLDER PROGRAM [ARGUMENT...]: run a program to one success and one failure,
# save both, and bind them in a receipt. Paths in it are as typed, so run this from examples/.
set -euo pipefail
folder=$1
shift
mkdir -p "$folder"
"$@" --json poem.txt >"$folder/success.json"
"$@" --json missing.txt >"$folder/failure.json" || test $? = 1
sobre evidence --success "$folder/success.json" --failure "$folder/failure.json" \
    --report "$folder/qzx-result-contract-conformance.json"
