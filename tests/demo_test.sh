#!/usr/bin/env bash
# scripts/demo as a newcomer starts and stops it.
#
# Usage: tests/demo_test.sh FOLDER_OF_THE_PROGRAMS log|kafka
#
# With kafka by way of a real broker; exits with 77, which ctest shows as skipped, where there is no
# Java or Maven for one. What people do follows from a seed, but batches are cut by real time: what
# is compared here holds by far whatever the machine does.
programs=$1
way=$2
program=$programs/headroom
source "$(dirname "$0")/support/cli.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$dir/demo
patience=300 # seconds that anything may take
flags=(--no-setup --programs "$programs" --headless --folder "$folder")
[ "$way" = log ] || flags+=(--kafka)
started=

leave() {
  if [ -n "$started" ]; then kill -TERM "$started" && wait "$started"; fi 2>/dev/null
  rm -rf "$dir"
}
trap leave EXIT
trap 'exit 1' INT TERM HUP

# expect WHAT FOUND WANTED
expect() {
  checks=$((checks + 1))
  [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}

demo() {
  checks=$((checks + 1))
  "$root/scripts/demo" "${flags[@]}" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
}

# Whatever has the demo's folder in its command line. The pattern is in a file, so that grep itself
# does not have it there.
printf '%s' "$folder" >"$dir/pattern"
running() { grep -lszF -f "$dir/pattern" /proc/[0-9]*/cmdline; }
nothing_runs() { expect "$1: processes left" "$(running)" ''; }

# begin [FLAGS...]: in a process group of its own, as on a terminal; sets `started`.
begin() {
  : >"$dir/out"
  set -m
  "$root/scripts/demo" "${flags[@]}" "$@" >"$dir/out" 2>"$dir/err" </dev/null &
  started=$!
  set +m
}

# wait_for COMMAND...: until it succeeds, while the demo runs.
wait_for() {
  local until=$((SECONDS + patience))
  checks=$((checks + 1))
  until "$@"; do
    if ! kill -0 "$started" 2>/dev/null || [ "$SECONDS" -ge "$until" ]; then
      fail "in vain: $*"
      return 1
    fi
    sleep 0.05
  done
}

# Waits for its end; sets `code`.
ended() {
  wait "$started" 2>/dev/null
  code=$?
  started=
}

# figure POLICY KEY: its mean in figures.csv, in millionths.
figure() { awk -F , -v p="$1" -v k="$2" '$1 == p && $3 == k { printf "%d", 1e6 * $4 }' "$folder/report/figures.csv"; }

# --- an evening from beginning to end ---------------------------------------------------------------

demo --speed 0
if [ "$way" = kafka ] && [ "$code" = 2 ] && grep -qE '(Java|Maven)[^:]* is missing' "$dir/err"; then
  echo "SKIPPED: there is no broker to test with"
  exit 77
fi
expect 'exit code' "$code" 0
[ "$way" = kafka ] || expect 'standard error' "$(cat "$dir/err")" ''
nothing_runs 'after an evening'
printed '^23:00 +[0-9]+ people out, +[0-9]+ seated, +[0-9]+ waiting, +[0-9]+ left; without'
printed '^18:00 to 23:00 +Headroom +unconstrained$'
for row in 'people who came' '  found a seat' '  turned away' '  waited, and gave up' \
  'minutes of waiting' 'sent by a list, and the place was full' 'time that places'; do
  printed "^$row.* [0-9.]+( %)? +[0-9.]+( %)?\$"
done
grep -q 'browser' "$dir/out" && fail 'headless, and it speaks of a browser'
for table in figures curves load; do
  expect "lines of $table.csv" "$([ "$(wc -l <"$folder/report/$table.csv")" -gt 10 ] && echo many)" many
done
checks=$((checks + 3))
[ "$(figure headroom overload_people)" -lt "$(figure unconstrained overload_people)" ] ||
  fail 'Headroom sent no fewer to full places'
[ "$(figure headroom overload_time)" -lt "$(figure unconstrained overload_time)" ] ||
  fail 'places were over capacity for as long'
[ "$((100 * $(figure headroom seated)))" -gt "$((95 * $(figure unconstrained seated)))" ] ||
  fail 'Headroom seated fewer people'

# The recorded batches give the same bytes again.
if [ "$way" = log ]; then
  lists=log/headroom.recommendations/0
  run repeat --folder "$folder" --set clock=event --into "$dir/again"
  expect 'exit code of repeat' "$code" 0
  expect 'lists again' "$(cat "$dir/again/$lists"/*.log | cksum)" "$(cat "$folder/$lists"/*.log | cksum)"
  expect 'lists' "$([ "$(cat "$folder/$lists"/*.log | wc -l)" -gt 300 ] && echo many)" many
fi

# --- stopped by a signal ----------------------------------------------------------------------------

begin # removes what the first one left
wait_for grep -q '^It is 18:00' "$dir/out"
kill -INT "$started"
ended
expect 'exit code after SIGINT' "$code" 130
nothing_runs 'after SIGINT'
expect 'the phase of serve' "$(grep -o '"phase": "[a-z]*"' "$folder/status.json")" '"phase": "stopped"'

begin
wait_for grep -qE '==> Start (headroom serve|a Kafka broker)' "$dir/out"
kill -TERM "$started"
ended
expect 'exit code after SIGTERM' "$code" 143
nothing_runs 'after SIGTERM'

# --- serve dies, and what is refused ----------------------------------------------------------------

if [ "$way" = log ]; then
  begin
  wait_for grep -q '^It is 18:00' "$dir/out"
  for process in $(running); do
    tr '\0' ' ' <"$process" | grep -q '^[^ ]*/headroom serve ' &&
      kill -KILL "$(basename "$(dirname "$process")")"
  done
  ended
  expect 'exit code without serve' "$code" 1
  checks=$((checks + 1))
  grep -q 'headroom serve in .* is gone' "$dir/err" || fail 'not told that serve is gone'
  nothing_runs 'without serve'

  # Too short for any machine, and yet it comes to an end.
  demo --seconds 1
  expect 'exit code when cut short' "$code" 0
  printed '^Cut short at 1[78]:[0-9]+(, too soon to show anything)?: 1 seconds take it no further'

  program=$root/scripts/demo
  for wrong in '--seconds x' '--speed -1' '--seed' '--folder' '--programs /' '--unheard-of' ; do
    # shellcheck disable=SC2086  # two words
    refused "${wrong%% *}" $wrong
  done
  mkdir "$dir/others" && touch "$dir/others/file"
  refused 'holds other things' "${flags[@]}" --folder "$dir/others"
  expect 'what is in there' "$(ls "$dir/others")" file
fi
result
