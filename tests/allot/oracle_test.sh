#!/usr/bin/env bash
# The bound of `headroom-sim allot` beside the optimum that HiGHS finds.
#
# Usage: oracle_test.sh HEADROOM-SIM
#
# Takes the whole of ML-100K where HEADROOM_DATA is set, else generated ratings. HiGHS comes from
# PyPI into build/test-venv; where it can't be had the test fails.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

sim=$1
oracle_python || die 1 "no HiGHS, so the bound is not checked"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
data=(--dataset generated)
if [[ -n ${HEADROOM_DATA:-} ]]; then
  data=(--dataset ml-100k --path "$HEADROOM_DATA/ml-100k")
fi
"$sim" allot "${data[@]}" --capacity uniform-1 --orders 1 --export "$folder/problem"
"$ORACLE_PYTHON" "$ROOT/tests/allot/lp_oracle.py" "$folder/problem"
