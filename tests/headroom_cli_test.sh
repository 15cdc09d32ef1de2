#!/usr/bin/env bash
# The command line of headroom: what it refuses and how, and what good runs do.
#
# Usage: tests/headroom_cli_test.sh PATH-OF-HEADROOM
set -uo pipefail

program=$1
source "$(dirname "${BASH_SOURCE[0]}")/support/cli.sh"

# done_with ARGUMENTS...: exit code 0; serve logs on standard error.
done_with() {
  run "$@"
  [ "$code" = 0 ] || { fail "$*: exit code $code, not 0"; return 1; }
}

# is WHAT FOUND WANTED
is() {
  checks=$((checks + 1))
  [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}

# same WHAT FILE FILE
same() {
  checks=$((checks + 1))
  cmp -s "$2" "$3" || fail "$1: $2 and $3 differ"
}

lists_of() { cat "$1"/log/headroom.recommendations/*/*.log; }
digest_of() { "$program" state inspect --folder "$1" | sed -n 's/^digest *//p'; }
status_of() { sed -nE "s/^ *\"$2\": \"?([^\",]*).*/\1/p" "$1/status.json"; }

# --- the data: 6 items, 8 users; a record from far off, and one that is none -----------------------
base=1772366400000
for i in 0 1 2 3 4 5; do
  echo "{\"event\":\"item\",\"id\":\"it$i\",\"timestamp\":$base,\"item\":\"i$i\",\"capacity\":3}"
done >"$dir/events.jsonl"
for k in $(seq 0 39); do
  at=$((base + k * 1000))
  echo "{\"event\":\"checkin\",\"id\":\"c$k\",\"timestamp\":$at,\"user\":\"u$((k % 8))\",\"item\":\"i$((k % 6))\"}"
  [ $((k % 4)) != 0 ] ||
    echo "{\"event\":\"request\",\"id\":\"r$k\",\"timestamp\":$at,\"user\":\"u$((k % 8))\",\"n\":3}"
done >>"$dir/events.jsonl"
replay=(--set clock=event --set limits.seen_ids=1000 --set batch.records=10)

# --- what is refused --------------------------------------------------------------------------------
refused 'subcommand'
refused "'bogus'" bogus
refused "'--bogus'" --bogus
for command in serve send repeat 'dead-letters list' 'dead-letters replay' 'state inspect' \
  'state export' 'state import' 'config check' 'config print'; do
  # shellcheck disable=SC2086  # two words are two arguments
  accepted $command --help && printed '--config'
  # shellcheck disable=SC2086
  refused '--bogus' $command --into "$dir/x" --from "$dir/x" --bogus
done
accepted --help && printed 'serve'
accepted --version && printed '^[0-9]+\.[0-9]+\.[0-9]+$'
for group in dead-letters state config; do refused 'subcommand' "$group"; done
refused '--into' repeat --folder "$dir/x"
refused '--into' state export --folder "$dir/x"
refused '--from' state import --folder "$dir/x"
refused '--to' repeat --into "$dir/x" --to abc

refused 'none.yaml' config check --config "$dir/none.yaml"
refused "$dir" config check --config "$dir"
printf 'seed: 1\nlearner:\n  ranks: 8\n' >"$dir/bad.yaml"
for command in serve 'config check' 'config print' send 'state inspect'; do
  # shellcheck disable=SC2086
  refused 'bad.yaml:3: learner.ranks' $command --config "$dir/bad.yaml"
done
printf 'learner:\n  step: .nan\n' >"$dir/bad.yaml"
refused 'bad.yaml:2: learner.step' serve --config "$dir/bad.yaml"
for value in 0 257 -1 1.5 x ''; do refused 'learner.rank' serve --set "learner.rank=$value"; done
refused 'KEY=VALUE' serve --set bogus=1
refused 'source.file' serve --set source.kind=file
refused 'sink.file' serve --set sink.kind=file

refused 'missing.jsonl' send "$dir/missing.jsonl" --folder "$dir/x"
refused "$dir" send "$dir" --folder "$dir/x"
refused "$dir" send "$dir" --speed 5 --folder "$dir/x"
for value in 0 -1 nan x; do refused '--speed' send --speed="$value" --folder "$dir/x"; done
refused 'there is none' state inspect --folder "$dir/nowhere"
refused 'there is none' state item i1 --folder "$dir/nowhere"
refused 'there is none' state export --into "$dir/x" --folder "$dir/nowhere"
refused 'there is none' repeat --into "$dir/x" --folder "$dir/nowhere"
refused 'users.jsonl' state import --from "$dir/nowhere" --folder "$dir/x2"
refused '--kind' dead-letters list --kind bogus --folder "$dir/x"
if [ "$(id -u)" = 0 ]; then
  echo "root may write anywhere: a folder without permission is not checked"
else
  mkdir -m 555 "$dir/closed"
  refused 'closed' serve --folder "$dir/closed/x"
  refused 'closed' send "$dir/events.jsonl" --folder "$dir/closed/x"
fi

# --- the configuration ------------------------------------------------------------------------------
accepted config check && printed 'good'
accepted config print --set learner.rank=5 --folder "$dir/a # folder" && cp "$dir/out" "$dir/c.yaml"
accepted config print --config "$dir/c.yaml" && same 'config print' "$dir/out" "$dir/c.yaml"
accepted config check --config "$dir/c.yaml"

# --- send, serve, lists -----------------------------------------------------------------------------
d=$dir/d
accepted send "$dir/events.jsonl" --folder "$d" && printed '^56 records, '
done_with serve --until-end --folder "$d" "${replay[@]}"
is 'phase' "$(status_of "$d" phase)" stopped
is 'events' "$(status_of "$d" events_total)" 56
is 'lists' "$(lists_of "$d" | wc -l)" 10
is 'ids of lists' "$(lists_of "$d" | grep -o '"recommendation":"[^"]*"' | sort -u | wc -l)" 10
accepted dead-letters list --folder "$d" && printed 'no dead letters'

# Sent again: the same ids, so nothing comes of it.
checks=$((checks + 1))
"$program" send - --folder "$d" <"$dir/events.jsonl" >"$dir/out" 2>"$dir/err" || fail 'send from standard input'
printed '^56 records, '
done_with serve --until-end --folder "$d" "${replay[@]}"
is 'duplicates' "$(status_of "$d" duplicates_total)" 56
is 'lists' "$(lists_of "$d" | wc -l)" 10

# As fast as their own time times a lot: all of them, in order.
accepted send "$dir/events.jsonl" --speed 100000 --folder "$dir/paced" && printed '^56 records, '
same 'paced' <(cat "$dir/paced"/log/headroom.events/0/*.log) <(grep -v '"item","id"' "$dir/events.jsonl")

# Standard input from where it stands.
checks=$((checks + 1))
{ read -r _ && "$program" send - --folder "$dir/tail"; } <"$dir/events.jsonl" >"$dir/out" 2>"$dir/err" ||
  fail 'send of the rest of a file'
printed '^55 records, '

# ended PID: its exit code once it has ended; one that does not for 20 s is killed.
ended() {
  for _ in $(seq 400); do
    kill -0 "$1" 2>/dev/null || break
    sleep 0.05
  done
  kill -KILL "$1" 2>/dev/null
  wait "$1"
}

# stopped NAME SIGNAL ARGUMENTS...: a send from a pipe without an end that was given two records an
# hour apart ends by the signal once the first is on disk, and says what is.
mkfifo "$dir/pipe"
stopped() {
  local folder=$dir/$1 signal=$2 pid
  shift 2
  checks=$((checks + 1))
  exec 7<>"$dir/pipe"
  "$program" send - --folder "$folder" "$@" <"$dir/pipe" >"$dir/out" 2>"$dir/err" 7<&- &
  pid=$!
  for k in 0 1; do
    echo "{\"event\":\"checkin\",\"id\":\"s$k\",\"timestamp\":$((base + k * 3600000)),\"user\":\"u\",\"item\":\"i\"}" >&7
    until [ -n "$(cat "$folder"/log/headroom.events/0/*.log 2>/dev/null)" ]; do sleep 0.05; done
  done
  [ $# != 0 ] || until [ "$(cat "$folder"/log/headroom.events/0/*.log | wc -l)" = 2 ]; do sleep 0.05; done
  kill -"$signal" "$pid"
  ended "$pid"
  is "exit code of a send that got SIG$signal" $? 2
  exec 7<&-
  is 'lines of it' "$(wc -l <"$dir/err")" 1
  grep -q 'standard input: stopped by a signal' "$dir/err" || fail "send: SIG$signal is not said"
}
for signal in INT TERM HUP; do
  stopped "stopped-$signal" "$signal" && printed '^2 records, '
done
stopped stopped-paced TERM --speed 1 && printed '^1 records, '
is 'records of a paced send that was stopped' "$(cat "$dir"/stopped-paced/log/headroom.events/0/*.log | wc -l)" 1

# --- repeat: the same lists and the same state ------------------------------------------------------
done_with repeat --into "$dir/again" --folder "$d" "${replay[@]}"
same 'repeat' <(lists_of "$d") <(lists_of "$dir/again")
is 'digest of the repeat' "$(digest_of "$dir/again")" "$(digest_of "$d")"
for setting in learner.step=0.5 learner.rank=8; do
  refused "${setting%=*}" repeat --into "$dir/wrong" --folder "$d" "${replay[@]}" --set "$setting"
done
is 'what a refused repeat leaves' "$(ls "$dir/wrong" 2>&1 | grep -c store)" 0
accepted repeat --into "$dir/wrong" --folder "$d" "${replay[@]}"
# It only reads: nothing is made where something is missing.
cp -r "$d" "$dir/bare"
find "$dir/bare" -name lock -delete
find "$dir/bare" -printf '%P %s %T@\n' | sort >"$dir/before"
accepted repeat --into "$dir/from-bare" --folder "$dir/bare" "${replay[@]}"
same 'a folder that was repeated' <(find "$dir/bare" -printf '%P %s %T@\n' | sort) "$dir/before"
rm -r "$dir/bare/log"
refused 'there is no log' repeat --into "$dir/from-bare2" --folder "$dir/bare" "${replay[@]}"
is 'a log in a folder that was only read' "$(find "$dir/bare" -name log)" ''
refused 'already' repeat --into "$dir/again" --folder "$d" "${replay[@]}"
done_with repeat --into "$dir/half" --to 3 --folder "$d" "${replay[@]}"
done_with repeat --into "$dir/rest" --from "$dir/half/store" --folder "$d" "${replay[@]}"
is 'digest in two parts' "$(digest_of "$dir/rest")" "$(digest_of "$d")"

# --- the state store --------------------------------------------------------------------------------
refused 'learner.rank 16, but 8' serve --until-end --folder "$d" "${replay[@]}" --set learner.rank=8
refused 'learner.method geobpr, but pmf' serve --until-end --folder "$d" "${replay[@]}" --set learner.method=pmf
accepted state item i1 --folder "$d" "${replay[@]}" && printed 'capacity +3 seats' && printed '^room'
refused "item 'i99'" state item i99 --folder "$d" "${replay[@]}"
accepted state export --into "$dir/export" --folder "$d" "${replay[@]}"
refused 'learner.rank' state import --from "$dir/export" --folder "$dir/other" "${replay[@]}" --set learner.rank=8
accepted state import --from "$dir/export" --folder "$dir/imported" "${replay[@]}" && printed 'named r-0-2-'
refused 'a state already' state import --from "$dir/export" --folder "$dir/imported" "${replay[@]}"
# It knows what it knew, has taken nothing of its new log, and names its lists anew.
sed 's/"id":"r/&new/' "$dir/events.jsonl" >"$dir/asks.jsonl"
accepted send "$dir/asks.jsonl" --folder "$dir/imported"
done_with serve --until-end --folder "$dir/imported" "${replay[@]}"
is 'duplicates after an import' "$(status_of "$dir/imported" duplicates_total)" $((56 + 46))
is 'lists after an import' "$(lists_of "$dir/imported" | grep -c '"recommendation":"r-0-2-')" 10
is 'ids of both' "$({ lists_of "$d" && lists_of "$dir/imported"; } | grep -o '"recommendation":"[^"]*"' | sort -u | wc -l)" 20
done_with serve --until-end --folder "$dir/imported" "${replay[@]}"
accepted state export --into "$dir/export2" --folder "$dir/imported" "${replay[@]}"
accepted state import --from "$dir/export2" --folder "$dir/imported2" "${replay[@]}" && printed 'named r-0-3-'
# Or it goes on in the same log, where the folder has it.
accepted state import --same-log --from "$dir/export" --folder "$dir/moved" "${replay[@]}"
is 'digest of the import' "$(digest_of "$dir/moved")" "$(digest_of "$d")"
cp -r "$d/log" "$dir/moved/log"
accepted send "$dir/asks.jsonl" --folder "$dir/moved"
done_with serve --until-end --folder "$dir/moved" "${replay[@]}"
is 'lists in the same log' "$(lists_of "$dir/moved" | wc -l)" 20
is 'ids in the same log' "$(lists_of "$dir/moved" | grep -c '"recommendation":"r-0-1-')" 20
accepted state import --same-log --from "$dir/export" --folder "$dir/without" "${replay[@]}"
refused 'another log' serve --until-end --folder "$dir/without" "${replay[@]}" --set status.log_level=warn
# damaged NAME WORDS SED-SCRIPT: what an import of it says, and that it leaves no state.
damaged() {
  cp -r "$dir/export" "$dir/damaged"
  sed -i "$3" "$dir/damaged/$1"
  refused "$2" state import --from "$dir/damaged" --folder "$dir/not" "${replay[@]}"
  is "state of a damaged $1" "$("$program" state inspect --folder "$dir/not" | sed -n 's/^users *//p')" 0
  rm -rf "$dir/damaged" "$dir/not"
}
damaged users.jsonl 'users.jsonl:2: no JSON' '2s/}$//'
damaged users.jsonl 'users.jsonl:3: row' '3s/"row":2/"row":1/'
damaged users.jsonl 'users.jsonl:3: row' '3s/"row":2/"row":4294967298/'
damaged users.jsonl 'users.jsonl:3: bytes' '3s/"bytes":"..../"bytes":"!!!!/'
damaged items.jsonl 'items.jsonl:1: hash' '1s/"bytes":"..../"bytes":"zzzz/'
damaged items.jsonl 'rows: ' '$d'
damaged store.json 'store.json' 's/"batch"/"botch"/'

# --- sources and sinks ------------------------------------------------------------------------------
done_with serve --until-end --folder "$dir/f" "${replay[@]}" --set source.kind=file \
  --set source.file="$dir/events.jsonl" --set sink.kind=file --set sink.file="$dir/lists.jsonl"
is 'lists in a file' "$(wc -l <"$dir/lists.jsonl")" 10

# The file is known by its first record: others of that name are refused, copies of it are not.
from_file=(--until-end --folder "$dir/f" "${replay[@]}" --set status.log_level=warn --set source.kind=file)
tac "$dir/events.jsonl" >"$dir/other.jsonl"
refused 'another log (file ' serve "${from_file[@]}" --set source.file="$dir/other.jsonl"
: >"$dir/empty.jsonl"
refused 'not an empty file' serve "${from_file[@]}" --set source.file="$dir/empty.jsonl"
cp "$dir/events.jsonl" "$dir/copy.jsonl"
sed -n '$s/"id":"/&later/p' "$dir/events.jsonl" >>"$dir/copy.jsonl"
accepted serve "${from_file[@]}" --set source.file="$dir/copy.jsonl"
is 'events of the copy' "$(status_of "$dir/f" events_total)" 57
refused 'another log (file ' repeat --into "$dir/f2" --folder "$dir/f" "${replay[@]}" --set source.kind=file \
  --set source.file="$dir/other.jsonl"
accepted repeat --into "$dir/f2" --folder "$dir/f" "${replay[@]}" --set source.kind=file \
  --set source.file="$dir/copy.jsonl"
is 'digest of a file repeated' "$(digest_of "$dir/f2")" "$(digest_of "$dir/f")"
# One that is empty at first is bound to the store with its first record.
: >"$dir/first.jsonl"
from_file=(--until-end --folder "$dir/g" "${replay[@]}" --set status.log_level=warn --set source.kind=file)
accepted serve "${from_file[@]}" --set source.file="$dir/first.jsonl"
accepted serve "${from_file[@]}" --set source.file="$dir/events.jsonl"
refused 'another log (file ' serve "${from_file[@]}" --set source.file="$dir/other.jsonl"
mkfifo "$dir/fifo"
refused 'fifo: is not a plain file' serve "${from_file[@]}" --set source.file="$dir/fifo"

checks=$((checks + 1))
"$program" serve --folder "$dir/s" "${replay[@]}" --set source.kind=stdin --set sink.kind=stdout \
  <"$dir/events.jsonl" >"$dir/out" 2>"$dir/err" || fail 'standard input to standard output'
is 'lists on standard output' "$(grep -c '"recommendation"' "$dir/out")" 10

# --- dead letters -----------------------------------------------------------------------------------
l=$dir/letters
{
  cat "$dir/events.jsonl"
  echo 'no record'
  echo "{\"event\":\"checkin\",\"id\":\"far\",\"timestamp\":$((base - 40 * 86400000)),\"user\":\"u1\",\"item\":\"i1\"}"
} >"$dir/with_bad.jsonl"
accepted send "$dir/with_bad.jsonl" --folder "$l"
done_with serve --until-end --folder "$l" "${replay[@]}"
is 'dead letters' "$(status_of "$l" dead_letters_total)" 2
accepted dead-letters list --folder "$l" && printed 'not_json' && printed 'far_time'
accepted dead-letters list --kind far_time --json --folder "$l"
is 'lines of one kind' "$(wc -l <"$dir/out")" 1
one_object
accepted dead-letters replay --dry-run --folder "$l" && printed '^1 records could be sent again; 1 '
is 'records after a dry run' "$(cat "$l"/log/headroom.events/0/*.log | wc -l)" 52
accepted dead-letters replay --folder "$l" && printed '^1 records sent again; 1 '
is 'records after a replay' "$(cat "$l"/log/headroom.events/0/*.log | wc -l)" 53
accepted dead-letters replay --kind not_json --folder "$l" && printed '^0 records sent again; 1 '
# What comes back is sent once, however often it came back.
for times in 2 3; do
  done_with serve --until-end --folder "$l" "${replay[@]}"
  is "dead letters after replay $times" "$(status_of "$l" dead_letters_total)" $((times + 1))
  accepted dead-letters replay --folder "$l" && printed '^1 records sent again; 1 '
done
# Beside a serve that answers each with another dead letter it ends.
"$program" serve --folder "$l" "${replay[@]}" --set status.milliseconds=100 --set batch.milliseconds=1 \
  >"$dir/out" 2>"$dir/err" </dev/null &
pid=$!
for k in $(seq 300); do
  sed 's/"id":"far"/"id":"far'"$k"'"/' <<<"$(tail -n 1 "$dir/with_bad.jsonl")"
done >"$dir/far.jsonl"
"$program" send "$dir/far.jsonl" --folder "$l" >"$dir/out"
until [ "$(status_of "$l" dead_letters_total)" -ge 305 ]; do
  kill -0 "$pid" 2>/dev/null || { fail 'serve ended'; break; }
  sleep 0.05
done
checks=$((checks + 1))
"$program" dead-letters replay --folder "$l" >"$dir/out" 2>"$dir/err" &
ended $! && printed '^301 records sent again; 1 ' || fail 'a replay beside serve does not end'
kill -TERM "$pid"
ended "$pid" || fail 'serve beside a replay'

# Random bytes become dead letters and nothing else.
head -c 20000 /dev/urandom | tr -d '\0' >"$dir/noise"
lines=$(grep -ac . "$dir/noise")
accepted send "$dir/noise" --folder "$dir/n"
done_with serve --until-end --folder "$dir/n" "${replay[@]}"
is 'events of noise' "$(status_of "$dir/n" events_total)" 0
is 'users of noise' "$(status_of "$dir/n" users)" 0
checks=$((checks + 1))
[ "$(status_of "$dir/n" dead_letters_total)" -ge "$lines" ] || fail 'noise: dead letters are missing'

# --- retention: the log and its journal go together -------------------------------------------------
small=(--set log.segment_bytes=4096 --set log.keep_bytes=4096)
r=$dir/r
for part in 1 2 3 4; do
  sed "s/\"id\":\"/&$part-/" "$dir/events.jsonl" >"$dir/part.jsonl"
  accepted send "$dir/part.jsonl" --folder "$r" "${small[@]}"
  done_with serve --until-end --folder "$r" "${replay[@]}" "${small[@]}"
  is "events after part $part" "$(status_of "$r" events_total)" $((56 * part))
done
checks=$((checks + 1))
[ ! -e "$r/log/headroom.events/0/00000000000000000000.log" ] || fail 'retention: the first file is still there'
first=$("$program" state inspect --folder "$r" | sed -n 's/^first batch journalled *//p')
checks=$((checks + 1))
[ "$first" != 1 ] || fail 'retention: the journal was not trimmed'
if [ "$first" != 0 ]; then
  refused "begins at batch $first" repeat --into "$dir/r2" --folder "$r" "${replay[@]}" "${small[@]}"
  [ ! -e "$dir/r2" ] || fail 'a refused repeat made its folder'
fi

# --- closed standard descriptors are no files of ours -----------------------------------------------
checks=$((checks + 1))
"$program" send "$dir/events.jsonl" --folder "$dir/closed-out" >"$dir/out"
"$program" serve --until-end --folder "$dir/closed-out" "${replay[@]}" --set sink.kind=stdout \
  --set status.log_level=warn 2>"$dir/err" <&- >&-
is 'exit code without standard output' $? 2
is 'words without standard output' "$(cat "$dir/err")" \
  "$(basename "$program"): standard output: cannot write: Bad file descriptor"
is 'lists in files of the store' "$(grep -rl '"recommendation"' "$dir/closed-out/store")" ''
"$program" serve --until-end --folder "$dir/closed-out" "${replay[@]}" <&- >&- 2>&-
is 'exit code without any' $? 0
is 'lists after that' "$(lists_of "$dir/closed-out" | wc -l)" 10
"$program" send --folder "$dir/closed-in" >"$dir/out" 2>"$dir/err" <&-
is 'exit code without standard input' $? 2
grep -q 'standard input: cannot read' "$dir/err" || fail 'closed standard input is not said'

# --- few threads, little memory: one line and an exit code, never an abort --------------------------
if grep -qaE '__(asan|tsan)_init' "$program"; then
  echo "under a sanitizer memory is not to be limited: not checked"
else
  for kilobytes in 50000 70000 100000 200000 300000; do
    checks=$((checks + 1))
    (ulimit -v "$kilobytes" && exec "$program" serve --until-end --folder "$d" "${replay[@]}") \
      >"$dir/out" 2>"$dir/err" </dev/null
    code=$?
    [ "$code" -le 2 ] || fail "serve with $kilobytes kB: exit code $code"
  done
fi

# --- a stop by signal -------------------------------------------------------------------------------
checks=$((checks + 1))
"$program" serve --folder "$dir/t" --set status.milliseconds=100 >"$dir/out" 2>"$dir/err" </dev/null &
pid=$!
for _ in $(seq 300); do
  [ "$(status_of "$dir/t" phase 2>/dev/null)" != ready ] || break
  sleep 0.1
done
refused 'in use by another process' serve --until-end --folder "$dir/t"
kill -TERM "$pid"
wait "$pid" || fail 'SIGTERM: the exit code is not 0'
is 'phase after SIGTERM' "$(status_of "$dir/t" phase)" stopped

result
