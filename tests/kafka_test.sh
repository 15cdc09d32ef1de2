#!/usr/bin/env bash
# headroom on Apache Kafka, against a real broker: each story is a function whose name is its claim.
#
# Usage: tests/kafka_test.sh PATH-OF-HEADROOM VERSION-OF-KAFKA [STORY...]
#
# HEADROOM_LONG=1 also stops the program for a whole minute.
set -uo pipefail

program=$1
version=$2
shift 2
source "$(dirname "${BASH_SOURCE[0]}")/support/cli.sh"
source "$(dirname "${BASH_SOURCE[0]}")/support/kafka.sh"

# --- records in, lists out ---------------------------------------------------------------------------

every_request_is_answered_once() {
  site round --partitions 2
  expect 'what a second `topics create` says' "$("$program" topics create "${site[@]}" | grep -c 'is there')" 4
  accepted topics check "${site[@]}" && printed 'are good'
  some_items
  { for k in 1 2 3 4; do checkin "c$k" "v$k" "i$k"; done; requests 1 40; } | produce events
  printf 'u1\tno record\n' | produce events
  begin
  wait_for has_taken lists_total 40
  requests 41 60 | produce events
  wait_for has_taken lists_total 60
  finish
  all_answered 1 60
  expect 'dead letters' "$(committed letters | wc -l)" 1
  expect 'keys of lists' "$(committed lists -f '%k\n' | sort)" "$(answered | sort)"

  accepted tail --from-beginning --until-end --lists "${site[@]}"
  expect 'lists that tail shows' "$(sort "$dir/out" | md5sum)" "$(lists | sort | md5sum)"
  accepted tail --from-beginning --until-end --dead-letters "${site[@]}" && printed '"d-0-1-'
  accepted dead-letters list "${site[@]}" && printed '^d-0-1-[0-9]+-0  headroom.events/[01] at [0-9]+  '
  printed '^ +no record$'

  # Started again, nothing comes twice.
  to_the_end
  all_answered 1 60
}

topics_that_lose_records_are_named() {
  site uncompacted
  topics --delete --topic uncompacted.items
  topics --create --topic uncompacted.items
  run topics check "${site[@]}"
  expect 'exit code' "$code" 2
  printed '^uncompacted.items: cleanup.policy is delete, not compact'
  topics --delete --topic uncompacted.letters
  run topics check "${site[@]}"
  printed '^uncompacted.letters: is not there'
}

sent_records_arrive_or_it_says_why() {
  site sent
  { some_of=$(requests 1 3 | cut -f 2); item i1 | cut -f 2; echo "$some_of"; } >"$dir/sent.jsonl"
  accepted send "$dir/sent.jsonl" "${site[@]}" --kafka "$broker" && printed '^4 records, [0-9]+ bytes, are acknowledged by Kafka'
  expect 'keys of what was sent' "$(committed events -f '%k ')" 'u1 u2 u3 '
  refused 'there is no topic nowhere' send "$dir/sent.jsonl" "${site[@]}" --set topics.items=nowhere
  refused 'there is no topic nowhere' send "$dir/sent.jsonl" "${site[@]}" --set topics.events=nowhere
  for key in events items recommendations dead_letters; do
    begin --set "topics.$key=nowhere"
    stops 'there is no topic nowhere' 'headroom topics create'
  done
}

an_item_without_a_value_is_removed() {
  site tombstone
  some_items
  begin
  wait_for has_taken items 6
  printf 'i0\t\ni1\t\ni2\t\n' | produce items -Z
  wait_for has_taken events_total 9
  requests 1 1 | produce events
  wait_for has_taken lists_total 1
  finish
  expect 'items of the list' "$(lists | grep -o '"item":"[^"]*"' | sort | tr -d '\n')" \
    '"item":"i3""item":"i4""item":"i5"'
  expect 'dead letters' "$(committed letters | wc -l)" 0
}

# Only what came after the start was resolved is answered, once, however often it is started.
the_first_start_is_resolved_once() {
  local start from
  for start in earliest latest time; do
    site "start-$start"
    some_items
    requests 1 5 | produce events
    from=6
    [ "$start" != earliest ] || from=1
    if [ "$start" = time ]; then
      start=$(date -u +%FT%T.%3NZ)
      requests 6 9 | produce events
    fi
    begin --set "source.start=$start"
    ready
    crash
    requests 10 12 | produce events
    to_the_end --set "source.start=$start"
    requests 13 15 | produce events
    to_the_end --set "source.start=$start"
    [ "$start" != latest ] || from=10
    expect "first answers from $start on" "$(answered | sort -V | head -n 1)" "u$from"
    expect "answers from $start on" "$(answered | sort | uniq -d):$(answered | sort -V | tail -n 1)" ':u15'
  done
}

# The same records in the same batches: of the items first, then of the events.
kafka_and_the_local_log_give_the_same_lists() {
  local at=1772366400000 k flags
  flags=(--set clock=event --set batch.records=10 --set batch.milliseconds=60000 --set batch.ask_milliseconds=60000)
  site same
  for k in 0 1 2 3 4 5; do item "i$k"; done >"$dir/items.tsv"
  for k in $(seq 1 60); do
    at=$((at + 1000))
    checkin "c$k" "u$((k % 7))" "i$((k * k % 6))"
    [ $((k % 3)) != 0 ] || requests "$k" "$k"
  done >"$dir/events.tsv"
  produce items <"$dir/items.tsv"
  to_the_end "${flags[@]}"
  produce events <"$dir/events.tsv"
  to_the_end "${flags[@]}"
  # On Kafka the first batch only says where reading begins; here it has nothing that is taken.
  printf 'key\tno record\n' >"$dir/nothing.tsv"
  for k in nothing items events; do
    cut -f 2 "$dir/$k.tsv" | "$program" send - --folder "$dir/local" >"$dir/out" 2>"$dir/err" || fail 'send'
    "$program" serve --until-end --folder "$dir/local" --set limits.seen_ids=100000 "${flags[@]}" \
      >"$dir/out" 2>"$dir/err" || fail 'serve from the local log'
  done
  expect 'lists' "$(lists | wc -l)" 20
  lists >"$dir/lists"
  expect 'lists that differ' "$(cat "$dir"/local/log/headroom.recommendations/0/*.log | diff "$dir/lists" - | head -n 4)" ''
}

# --- a broker that is not there ----------------------------------------------------------------------

it_waits_for_a_broker_and_says_so() {
  site waiting
  some_items
  broker_killed
  begin
  wait_for has_problem 'Kafka at 127.0.0.1:[0-9]+: cannot .*: .*(refused|down|answer)'
  expect 'ready' "$(status_of ready)" false
  broker_back
  ready
  requests 1 5 | produce events
  wait_for enough_answers 5

  broker_killed
  wait_for has_phase waiting
  expect 'ready' "$(status_of ready)" false
  expect 'the metric ready' "$(grep '^headroom_ready' "$folder/metrics.prom")" 'headroom_ready 0'
  wait_for has_problem 'Kafka at 127.0.0.1:[0-9]+: '
  broker_back
  requests 6 10 | produce events
  wait_for enough_answers 10
  ready
  expect 'the problem when it is over' "$(problem)" null
  all_answered 1 10

  broker_killed
  wait_for has_phase waiting
  kill -TERM "$served"
  ended "$served" 10
  expect 'exit code after SIGTERM without a broker' "$code" 0
}

# --- records and topics that are gone ----------------------------------------------------------------

delete_records() { # TOPIC OFFSET: those before
  printf '{"partitions":[{"topic":"%s","partition":0,"offset":%s}],"version":1}' "$1" "$2" >"$dir/delete.json"
  tool org.apache.kafka.tools.DeleteRecordsCommand --offset-json-file "$dir/delete.json"
}

records_that_are_gone_stop_it_until_reset() {
  site gone
  some_items
  requests 1 10 | produce events
  to_the_end
  requests 11 20 | produce events
  delete_records gone.events 15
  begin
  stops 'gone.events/0' 'from offset 10 to 15' '--reset'
  begin
  stops 'gone.events/0'
  to_the_end --reset
  expect 'answers' "$(answered | sort -V | tail -n +10 | tr '\n' ' ')" 'u10 u16 u17 u18 u19 u20 '
  requests 21 22 | produce events
  to_the_end
  expect 'answers' "$(answered | sort | uniq -d):$(answered | wc -l)" ':17'
}

# Batches that no checkpoint has are repeated; their records may be gone too.
records_that_are_gone_before_they_were_repeated_stop_it_until_reset() {
  site unrepeatable
  some_items
  begin --set store.checkpoint_milliseconds=3600000
  ready
  requests 1 10 | produce events
  wait_for enough_answers 10
  crash
  requests 11 20 | produce events
  delete_records unrepeatable.events 15
  begin
  stops 'unrepeatable.events/0' '--reset'
  to_the_end --reset
  expect 'answers' "$(answered | sort -V | tail -n +10 | tr '\n' ' ')" 'u10 u16 u17 u18 u19 u20 '
  requests 21 22 | produce events
  to_the_end
  expect 'answers' "$(answered | sort | uniq -d):$(answered | wc -l)" ':17'
}

remade() { # TOPIC [FLAGS...]
  local topic=$1
  shift
  topics --delete --topic "$topic"
  topics --create --topic "$topic" "$@"
}

a_topic_made_again_is_taken_only_by_reset() {
  site again
  some_items
  requests 1 5 | produce events
  to_the_end
  remade again.events
  requests 101 110 | produce events # more than before
  begin
  stops 'again.events=' '--reset'
  # A start that fails for another reason does not use up the refusal.
  begin --reset --set topics.recommendations=nowhere
  stops 'there is no topic nowhere'
  begin
  stops 'again.events=' '--reset'
  begin --reset
  wait_for enough_answers 15
  expect 'answers' "$(answered | sort | uniq -d):$(answered | wc -l)" ':15'
  # Noticed while it runs.
  remade again.events
  stops 'again.events' '(deleted|made again|another topic of this name)'
  requests 201 220 | produce events
  to_the_end --reset
  expect 'answers' "$(answered | sort | uniq -d):$(answered | wc -l)" ':35'
  to_the_end
  expect 'answers' "$(answered | wc -l)" 35
}

batches_of_a_topic_that_is_gone_are_not_repeated_with_other_records() {
  local flags=(--set store.checkpoint_milliseconds=3600000)
  site mixed
  some_items
  begin "${flags[@]}"
  ready
  requests 1 5 | produce events
  wait_for enough_answers 5
  crash
  remade mixed.events
  requests 101 110 | produce events
  begin "${flags[@]}" --reset
  wait_for enough_answers 15
  crash
  begin "${flags[@]}"
  ready
  requests 111 112 | produce events
  wait_for enough_answers 17
  finish
  expect 'answers' "$(answered | sort | uniq -d):$(answered | wc -l)" ':17'
  expect 'events taken' "$(status_of events_total):$(status_of duplicates_total)" '18:0'
}

items_made_again_can_be_removed_again() {
  site items-again
  some_items
  printf 'i0\t\n' | produce items -Z
  to_the_end
  remade items-again.items --config cleanup.policy=compact
  for i in 0 1 2 3 4 5; do item "i$i" | sed 's/"item-/&new-/'; done | produce items
  printf 'i5\t\n' | produce items -Z
  to_the_end --reset
  requests 1 1 | sed 's/"n":3/"n":10/' | produce events
  to_the_end
  expect 'items of the list' "$(lists | grep -o '"item":"[^"]*"' | sort | tr -d '\n')" \
    '"item":"i0""item":"i1""item":"i2""item":"i3""item":"i4"'
}

new_partitions_are_taken_only_when_told() {
  site wider
  some_items
  requests 1 5 | produce events
  begin
  wait_for enough_answers 5
  topics --alter --topic wider.events --partitions 3
  stops 'wider.events' '3 partitions now instead of 1' '--new-partitions'
  requests 6 30 | produce events
  begin
  stops '3 partitions, but had 1' '--new-partitions'
  to_the_end --new-partitions
  all_answered 1 30
  requests 31 40 | produce events
  to_the_end
  all_answered 1 40
}

# --- stores ------------------------------------------------------------------------------------------

a_store_that_does_not_fit_the_output_is_refused() {
  site lost
  some_items
  requests 1 5 | produce events
  to_the_end
  cp -r "$folder" "$dir/older"
  requests 6 10 | produce events
  to_the_end
  mv "$folder" "$dir/newest"
  begin
  stops 'is new, but lists up to' 'already delivered' 'put back the store'
  rm -r "$folder"
  cp -r "$dir/older" "$folder"
  begin
  stops 'ends at batch' 'already delivered' 'put back the store'
  rm -r "$folder"
  mv "$dir/newest" "$folder"
  requests 11 15 | produce events
  to_the_end
  all_answered 1 15
}

a_lost_store_is_made_again_from_the_topics() {
  local clock
  for clock in event wall; do
    site "rebuilt-$clock" --partitions 3
    some_items
    requests 1 5 | produce events
    to_the_end --set "clock=$clock"
    rm -r "$folder"
    begin --set "clock=$clock"
    stops 'is new, but lists up to' '--rebuild'
    requests 6 10 | produce events
    to_the_end --set "clock=$clock" --rebuild
    printed_in_log 'rebuilt events=11 lists=5 epoch=2'
    all_answered 1 10
    requests 11 15 | produce events
    to_the_end --set "clock=$clock"
    all_answered 1 15
    begin --set "clock=$clock" --rebuild
    stops 'rebuild: the state store .* is not new'
  done
}

printed_in_log() { # WORDS
  checks=$((checks + 1))
  grep -qE -e "$1" "$log" || fail "$name: the log lacks '$1': $(grep rebuilt "$log")"
}

# Both copies have the same next batch number, so that it alone does not tell who delivered it.
of_two_processes_exactly_one_goes_on() {
  local clock flags first winner k
  for clock in event wall; do
    site "rivals-$clock"
    flags=(--set "clock=$clock" --set store.checkpoint_milliseconds=3600000)
    some_items
    requests 1 5 | produce events
    to_the_end "${flags[@]}"
    cp -r "$folder" "$folder-copy"
    begin "${flags[@]}"
    first=$served
    ready
    folder=$folder-copy
    begin "${flags[@]}" --set "folder=$folder"
    ready
    # Under `event` one delivers while the other sleeps, under `wall` both try at once.
    for k in 6 7 8; do
      [ "$clock" = wall ] || kill -STOP "$first" 2>/dev/null
      requests "$k" "$k" | produce events
      wait_for enough_answers "$k"
      kill -CONT "$first" 2>/dev/null
      wait_for is_over_for_the_first
    done
    wait_for one_of_them_ended
    if is_alive "$first"; then
      stops 'another process works as instance 0' 'fenced'
      served=$first folder=$dir/$name
    else
      winner=$served served=$first folder=$dir/$name log=$dir/$name.log
      stops 'another process works as instance 0' 'fenced'
      served=$winner folder=$folder-copy
    fi
    log=$folder.log
    requests $((k + 1)) $((k + 10)) | produce events
    wait_for enough_answers $((k + 10))
    expect 'the other one' "$(is_alive "$served" && echo alive)" alive
    finish
    all_answered 1 $((k + 10))
    # Who was fenced has not the store that made the output.
    [ "$served" = "$first" ] && folder+=-copy || folder=$dir/$name
    begin "${flags[@]}" --set "folder=$folder"
    stops 'delivered' 'put back the store'
  done
}
is_over_for_the_first() { # it ended, or has taken the six items and the requests so far
  ! is_alive "$first" || (folder=$dir/$name && has_taken events_total $((6 + k)))
}
one_of_them_ended() { ! is_alive "$first" || ! is_alive "$served"; }

transaction_state() {
  tool org.apache.kafka.tools.TransactionsCommand describe --transactional-id "$name"
  awk 'NR == 2 {print $5}' "$dir/tool.out"
}
is_over() { ! grep -q '^Ongoing$' <(transaction_state); }

a_transaction_that_timed_out_is_made_again() {
  local most=20000
  site asleep
  some_items
  begin --set kafka.transaction.timeout.ms=3000 --set batch.records=20
  ready
  requests 1 "$most" | produce events
  wait_for has_taken lists_total 100
  # It must have one open while it sleeps.
  for _ in $(seq 20); do
    kill -STOP "$served"
    [ "$(transaction_state)" != Ongoing ] || break
    kill -CONT "$served"
  done
  wait_for is_over
  expect 'rest to do when it woke up' "$([ "$(answered | wc -l)" -lt "$most" ] && echo some)" some
  [ -z "${HEADROOM_LONG:-}" ] || sleep 60
  kill -CONT "$served"
  wait_for has_taken lists_total "$most"
  finish
  all_answered 1 "$most"
}

what_is_too_large_is_delivered_when_it_may_be() {
  site large
  topics --delete --topic 'large.(lists|letters)'
  topics --create --topic large.lists --config max.message.bytes=300
  topics --create --topic large.letters --config max.message.bytes=300
  some_items
  { requests 1 5; printf 'u1\tno record %s\n' "$(seq -s ' ' 200)"; } | produce events
  begin
  stops 'large.(lists|letters)' 'a record of [0-9]+ bytes is larger' 'max.message.bytes' 'nothing is lost'
  set_of_topic large.lists max.message.bytes=1000000
  begin
  stops 'large.letters' 'a record of [0-9]+ bytes is larger' 'max.message.bytes'
  set_of_topic large.letters max.message.bytes=1000000
  requests 6 10 | produce events
  to_the_end
  all_answered 1 10
  expect 'dead letters' "$(committed letters | wc -l)" 1
}

several_instances_are_refused() {
  refused 'instances: only 1 as yet: seats' serve --kafka "$broker" --folder "$dir/several" --set instances=2
}

# --- who we are --------------------------------------------------------------------------------------

# shellcheck disable=SC2016  # headroom itself reads ${env:...}
passwords_open_the_door_and_are_not_told() {
  local sasl tls value
  site door
  some_items
  requests 1 5 | produce events
  sasl=(--set "kafka.bootstrap.servers=$(cat "$kafka/address.sasl")"
    --set kafka.security.protocol=SASL_PLAINTEXT --set kafka.sasl.mechanism=SCRAM-SHA-512
    --set kafka.sasl.username=ada)
  tls=(--set "kafka.bootstrap.servers=$(cat "$kafka/address.tls")" --set kafka.security.protocol=SSL)
  export ADAS_PASSWORD=$words_of_ada
  (umask 077 && echo "$words_of_ada" >"$dir/password")

  to_the_end "${sasl[@]}" --set 'kafka.sasl.password=${env:ADAS_PASSWORD}'
  cat "$log" >"$dir/said"
  requests 6 10 | produce events
  to_the_end "${sasl[@]}" --set "kafka.sasl.password=\${file:$dir/password}" --set kafka.debug=security,conf,broker
  cat "$log" >>"$dir/said"
  requests 11 15 | produce events
  to_the_end "${tls[@]}" --set "kafka.ssl.ca.location=$kafka/ca.pem"
  all_answered 1 15

  for value in '${env:ADAS_PASSWORD}' "\${file:$dir/password}" "$words_of_ada"; do
    accepted config check "${site[@]}" "${sasl[@]}" --set "kafka.sasl.password=$value"
    accepted config print "${site[@]}" "${sasl[@]}" --set "kafka.sasl.password=$value"
    cat "$dir/out" >>"$dir/said"
  done
  refused 'kafka.sasl.password: the environment has no NOBODYS' \
    config check "${site[@]}" "${sasl[@]}" --set 'kafka.sasl.password=${env:NOBODYS}'
  refused 'kafka.sasl.password: /nowhere cannot be read' \
    config check "${site[@]}" "${sasl[@]}" --set 'kafka.sasl.password=${file:/nowhere}'
  refused 'ssl.ca.location' serve "${site[@]}" "${tls[@]}" --set kafka.ssl.ca.location=/nowhere.pem

  # Who is refused is told so, soon, by every command.
  ADAS_PASSWORD=wrong-word-48
  requests 1 1 | cut -f 2 >"$dir/one.jsonl"
  sasl+=(--set 'kafka.sasl.password=${env:ADAS_PASSWORD}')
  refusals=()
  refused_soon 'Authentication failed' serve "${site[@]}" "${sasl[@]}"
  refused_soon 'Authentication failed' topics check "${site[@]}" "${sasl[@]}"
  refused_soon 'Authentication failed' tail "${site[@]}" "${sasl[@]}"
  refused_soon 'Authentication failed' dead-letters list "${site[@]}" "${sasl[@]}"
  refused_soon 'Authentication failed' send "$dir/one.jsonl" "${site[@]}" "${sasl[@]}"
  refused_soon 'certificate|SSL' serve "${site[@]}" --set "folder=$folder-tls" "${tls[@]}"
  refused_all
  expect 'passwords told' "$(grep -rlaE "$words_of_ada|wrong-word-48" "$folder" "$dir/said" | tr '\n' ' ')" ''
}

# refused_soon PATTERN ARGUMENTS...: begins a run that must end with exit code 2 within 30 s and a
# last line that has PATTERN; refused_all waits for these runs.
refused_soon() {
  local out=$dir/refused-${#refusals[@]}
  timeout -k 1 30 "$program" "${@:2}" >"$out" 2>&1 </dev/null &
  refusals+=("$! $1")
}
refused_all() {
  local k pid pattern
  for k in "${!refusals[@]}"; do
    read -r pid pattern <<<"${refusals[k]}"
    wait "$pid"
    expect "exit code of refused run $k" $? 2
    checks=$((checks + 1))
    tail -n 1 "$dir/refused-$k" | grep -qE "^headroom: .*($pattern)" ||
      fail "refused run $k: $(tail -n 1 "$dir/refused-$k")"
    cat "$dir/refused-$k" >>"$dir/said"
  done
}

a_wrong_setting_is_named() {
  local file=$dir/wrong.yaml key value
  while read -r key value; do
    printf 'source:\n  kind: kafka\nkafka:\n  bootstrap.servers: %s\n  %s: "%s"\n' "$broker" "$key" "$value" >"$file"
    refused "wrong.yaml:5: kafka.$key: " serve --config "$file" --folder "$dir/wrong"
    refused "kafka.$key: " serve --kafka "$broker" --folder "$dir/wrong" --set "kafka.$key=$value"
  done <<'WRONG'
no.such.key 1
enable.auto.commit true
enable.idempotence false
auto.offset.reset latest
socket.timeout.ms soon
security.protocol open
WRONG
  refused 'kafka.bootstrap.servers: must be given' serve --set source.kind=kafka --folder "$dir/wrong"
  refused 'sink.kind: kafka needs source.kind kafka' serve --set sink.kind=kafka --folder "$dir/wrong"
}

# --- all of them -------------------------------------------------------------------------------------

stories=(every_request_is_answered_once passwords_open_the_door_and_are_not_told)
[ "$version" != 4 ] || stories+=(
  a_wrong_setting_is_named several_instances_are_refused
  topics_that_lose_records_are_named sent_records_arrive_or_it_says_why
  an_item_without_a_value_is_removed the_first_start_is_resolved_once
  kafka_and_the_local_log_give_the_same_lists records_that_are_gone_stop_it_until_reset
  records_that_are_gone_before_they_were_repeated_stop_it_until_reset
  a_topic_made_again_is_taken_only_by_reset
  batches_of_a_topic_that_is_gone_are_not_repeated_with_other_records
  items_made_again_can_be_removed_again
  new_partitions_are_taken_only_when_told a_store_that_does_not_fit_the_output_is_refused
  a_lost_store_is_made_again_from_the_topics
  of_two_processes_exactly_one_goes_on a_transaction_that_timed_out_is_made_again
  what_is_too_large_is_delivered_when_it_may_be
  it_waits_for_a_broker_and_says_so) # the last, as it leaves no broker
[ $# = 0 ] || stories=("$@")

broker_up "$version"
for story in "${stories[@]}"; do
  begun=$SECONDS before=$failures
  name=$story log=
  "$story"
  echo "$([ "$failures" = "$before" ] && echo ok || echo FAILED): ${story//_/ } ($((SECONDS - begun)) s)"
done
result
