#!/usr/bin/env bash
# Events of a made-up city written per second, the city's making included: `events_per_second`, and
# beside it how long a copy of the same file takes on this disk.
#
# Usage: tests/bench/generate_speed.sh PATH-OF-HEADROOM-SIM FOLDER
set -euo pipefail

program=$1
folder=$2
now() { printf '%s' "${EPOCHREALTIME/[.,]/}"; }

for users in 10000 1000000; do
  days=$((users == 10000 ? 365 : 14))
  began=$(now)
  visits=$("$program" generate --out "$folder" --users "$users" --items $((users / 10)) \
    --days "$days" --json | grep -oE '"visits":[0-9]+' | cut -d : -f 2)
  taken=$(($(now) - began))
  began=$(now)
  cp "$folder/events.jsonl" "$folder/copy.jsonl"
  copied=$(($(now) - began))
  awk -v users="$users" -v days="$days" -v visits="$visits" -v taken="$taken" -v copied="$copied" \
    'BEGIN {
      printf "%d users, %d items, %d days: %d events, events_per_second %d; a copy takes %.2f s beside %.2f s\n",
        users, users / 10, days, visits, visits / taken * 1e6, copied / 1e6, taken / 1e6 }'
done
