#!/usr/bin/env bash
# headroom-sim live and replay through Apache Kafka, against a real broker: each story is a function
# whose name is its claim.
#
# Usage: tests/live_kafka_test.sh PATH-OF-HEADROOM-SIM VERSION-OF-KAFKA [STORY...]
set -uo pipefail

program=$1
version=$2
shift 2
source "$(dirname "${BASH_SOURCE[0]}")/support/cli.sh"
source "$(dirname "${BASH_SOURCE[0]}")/support/kafka.sh"

any_city=(live --users 150 --items 30 --history-days 2 --warm-days 1)
city=("${any_city[@]}" --days 2)

# The names of the runs' topics that are there now.
own_topics() { kcat -L -b "$broker" 2>"$dir/kcat.err" | grep -o 'headroom-sim-[^"]*' | sort; }
nothing_is_left() { expect 'topics that are left' "$(own_topics | tr '\n' ' ')" ''; }
has_topics() { [ "$(own_topics | wc -l)" = 4 ]; }
has_lists() { [ -n "$(find "$1" -size +0 -name '*.jsonl' 2>/dev/null)" ]; }
same_lists() { # FOLDER FOLDER
  expect "lists of $1 that $2 has not" "$(diff -rq "$dir/$1" "$dir/$2")" ''
  expect "files in $1" "$(find "$dir/$1" -size +0 -name '*.jsonl' | wc -l)" "$3"
}

# carried ARGUMENTS...: exit code 0, and nothing on standard error but that it waited for a broker.
carried() {
  run "$@"
  [ "$code" = 0 ] || { fail "$*: exit code $code, not 0"; return 1; }
  ! grep -v '^waiting: ' "$dir/err" || fail "$*: something on standard error"
}

# watch ARGUMENTS...: begins a run that we watch; sets `served`, its process, and `log`, what it says.
watch() {
  folder=$dir/$name log=$dir/$name.log
  "$program" "$@" --kafka "$broker" >"$dir/$name.out" 2>"$log" </dev/null &
  served=$!
  servers+=("$served")
}

# --- the same lists ----------------------------------------------------------------------------------

the_lists_are_those_of_a_run_in_the_process() {
  local some=(--seeds 2 --policies unconstrained,price) run
  accepted "${city[@]}" "${some[@]}" --lists "$dir/inside" --json
  sed 's/"manifest".*//' "$dir/out" >"$dir/inside.json"
  for run in first second; do
    carried "${city[@]}" "${some[@]}" --lists "$dir/$run" --json --kafka "$broker"
    expect 'figures that differ' "$(sed 's/"manifest".*//' "$dir/out" | diff -q - "$dir/inside.json")" ''
    same_lists inside "$run" 4
    nothing_is_left
  done
}

# Who asks for no policy gets the default alone; who needs no engine needs no broker.
it_says_what_went_through() {
  carried "${city[@]}" --kafka "$broker"
  printed '^price, seed 1: [0-9]+ events and [0-9]+ lists through Kafka in [0-9.]+ s, [0-9]+ events/s$'
  expect 'policies' "$(grep -cE '^(greedy|unconstrained|random) ' "$dir/out")" 0
  carried "${city[@]}" --kafka "$broker" --policies random,greedy --lists "$dir/some" && printed '^random '
  expect 'runs through Kafka' "$(grep -c 'through Kafka' "$dir/out")" 2
  nothing_is_left
}

kept_topics_hold_events_and_lists() {
  local topic items events
  carried "${city[@]}" --kafka "$broker" --lists "$dir/kept" --keep-topics
  name=$(grep -o 'headroom-sim-[0-9a-f]*-price-1' "$dir/out")
  checks=$((checks + 1))
  lists | cmp -s - "$dir/kept/price-1.jsonl" || fail 'the lists in the topic are not those of the file'
  expect 'dead letters' "$(committed dead-letters | wc -l)" 0
  items=$(committed items | grep -c '"event":"item"')
  events=$(committed events | grep -c '"user"')
  printed "^price, seed 1: $((items + events)) events "
  expect 'items' "$items" 30
  expect 'topics that are kept' "$(own_topics | wc -l)" 4
  for topic in $(own_topics); do topics --delete --topic "$topic"; done
  nothing_is_left
}

time_passes_at_the_speed_that_is_asked_for() {
  local begun=$EPOCHREALTIME
  carried "${city[@]}" --kafka "$broker" --speed 40000 --lists "$dir/paced"
  expect 'less than two days at that speed' \
    "$(awk -v from="$begun" -v to="$EPOCHREALTIME" 'BEGIN {if (to - from < 4.3) print to - from}')" ''
  accepted "${city[@]}" --seeds 1 --policies price --lists "$dir/unpaced"
  same_lists unpaced paced 1
}

a_replay_comes_to_the_same_figures() {
  local replay=(replay --dataset tsv --path "$dir/data/checkins.tsv" --columns user,item,time
    --places "$dir/data/places.tsv" --place-columns item=item,lat=lat,lon=lon --n 3 --hold 10m)
  accepted generate --out "$dir/data" --users 60 --items 40 --days 10 --format tsv
  accepted "${replay[@]}" --policies greedy,both,random --out "$dir/replayed"
  carried "${replay[@]}" --policies greedy,both,random --out "$dir/carried" --kafka "$broker"
  expect 'figures that differ' "$(diff -rq -x "report.*" "$dir/replayed" "$dir/carried")" ''
  carried "${replay[@]}" --kafka "$broker" --keep-topics
  name=$(grep -o '^topics headroom-sim-[0-9a-f]*-price-1' "$dir/out" | cut -d ' ' -f 2)
  expect 'lists in the kept topic' "$(lists | wc -l)" "$(($(wc -l <"$dir/data/checkins.tsv") - 1))"
  for topic in $(own_topics); do topics --delete --topic "$topic"; done
  name=replay
  watch "${replay[@]}" --speed 60
  wait_for has_topics
  kill -TERM "$served"
  ended
  expect 'exit code after SIGTERM' "$code" 143
  nothing_is_left
}

# --- what may go wrong -------------------------------------------------------------------------------

a_wrong_address_is_refused() {
  refused 'Kafka at 127.0.0.1:1: cannot ' "${city[@]}" --kafka 127.0.0.1:1 --lists "$dir/nowhere"
  [ ! -e "$dir/nowhere" ] || fail 'a folder for lists that never came'
  refused 'an address is wanted' "${city[@]}" --kafka ''
  refused 'no.such.key' "${city[@]}" --kafka "$broker" --set kafka.no.such.key=1
  : >"$dir/file"
  refused 'file' "${city[@]}" --kafka "$broker" --lists "$dir/file/lists"
  nothing_is_left
}

a_signal_ends_it_and_its_topics() {
  local signal wanted
  while read -r signal wanted; do
    watch "${any_city[@]}" --days 20 --speed 10000 --lists "$dir/$signal"
    wait_for has_topics
    # One ends it at any time, the others among live days.
    [ "$signal" = TERM ] || wait_for has_lists "$dir/$signal"
    kill "-$signal" "$served"
    ended
    expect "exit code after SIG$signal" "$code" "$wanted"
    expect 'what it says' "$(grep -v '^waiting: ' "$log")" ''
    nothing_is_left
  done <<<$'TERM 143\nINT 130\nHUP 129'
}

a_broker_that_comes_back_is_waited_for() {
  local days=(--days 4)
  accepted "${any_city[@]}" "${days[@]}" --seeds 1 --policies price --lists "$dir/calm"
  # Slow enough that it is not over before the broker is away.
  watch "${any_city[@]}" "${days[@]}" --speed 10000 --lists "$dir/stormy"
  wait_for has_lists "$dir/stormy"
  kill -STOP "$served"
  broker_killed
  kill -CONT "$served"
  wait_for grep -q '^waiting: Kafka at ' "$log"
  broker_back
  ended "$served" 300
  expect 'exit code' "$code" 0
  same_lists calm stormy 1
  nothing_is_left
}

# --- all of them -------------------------------------------------------------------------------------

stories=(the_lists_are_those_of_a_run_in_the_process it_says_what_went_through
  kept_topics_hold_events_and_lists time_passes_at_the_speed_that_is_asked_for
  a_replay_comes_to_the_same_figures
  a_wrong_address_is_refused a_signal_ends_it_and_its_topics a_broker_that_comes_back_is_waited_for)
[ $# = 0 ] || stories=("$@")

broker_up "$version"
for story in "${stories[@]}"; do
  begun=$SECONDS before=$failures
  name=$story log=
  "$story"
  echo "$([ "$failures" = "$before" ] && echo ok || echo FAILED): ${story//_/ } ($((SECONDS - begun)) s)"
done
result
