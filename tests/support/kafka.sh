# For tests against a real broker: source support/cli.sh first, then this; then `broker_up VERSION`.
# A story begins with `site NAME`, which gives it topics, a group and a folder of its own.
# shellcheck shell=bash
# shellcheck disable=SC2154  # program, dir, checks and code are cli.sh's
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
kafka=$dir/kafka
patience=60 # seconds that anything may take
words_of_ada=open-sesame-47 # the password of the user ada
servers=()

leave() {
  local pid
  for pid in ${servers[@]+"${servers[@]}"}; do
    kill -CONT "$pid" 2>/dev/null
    kill -KILL "$pid" 2>/dev/null
  done
  "$root/scripts/kafka" down --folder "$kafka" >/dev/null 2>&1
  rm -rf "$dir"
}
trap leave EXIT
trap 'exit 1' INT TERM HUP

# --- the broker ------------------------------------------------------------------------------------

# broker_up VERSION: exits with 77, which ctest shows as skipped, where Java or Maven are missing.
broker_up() {
  local code=0
  "$root/scripts/kafka" up --folder "$kafka" --port 0 --version "$1" --user "ada:$words_of_ada" \
    >"$dir/address" 2>"$dir/up.log" || code=$?
  cat "$dir/up.log"
  if [ "$code" = 2 ] && grep -qE '(Java|Maven)[^:]* is missing' "$dir/up.log"; then
    echo "SKIPPED: there is no broker to test with"
    exit 77
  fi
  [ "$code" = 0 ] || exit 1
  command -v kcat >/dev/null || { echo "FAILED: kcat is missing: run scripts/setup --kafka"; exit 1; }
  broker=$(cat "$dir/address")
  version=$(sed -n 's/^version=//p' "$kafka/settings")
}

# As a crash would, and back with its data.
broker_killed() { "$root/scripts/kafka" kill --folder "$kafka" >"$dir/out" 2>"$dir/err"; }
broker_back() { "$root/scripts/kafka" up --folder "$kafka" >"$dir/out" 2>"$dir/err"; }

# tool CLASS ARGUMENTS...: one of Kafka's own.
tool() {
  local class=$1 flags=() archive jars
  jars=${HEADROOM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/headroom}/kafka-$version
  shift
  for archive in "$jars"/classes-*.jsa; do # the loaded classes, where the broker's script keeps them
    [ ! -f "$archive" ] || flags=("-XX:SharedArchiveFile=$archive")
  done
  java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:disable ${flags[@]+"${flags[@]}"} \
    "-Dlog4j2.configurationFile=$kafka/logging.properties" -cp "$jars/libs/*" "$class" --bootstrap-server "$broker" "$@" >"$dir/tool.out" 2>&1 ||
    fail "$class $*: $(tail -n 1 "$dir/tool.out")"
}
topics() { tool org.apache.kafka.tools.TopicCommand "$@"; }
set_of_topic() { # TOPIC KEY=VALUE
  tool kafka.admin.ConfigCommand --alter --entity-type topics --entity-name "$1" --add-config "$2"
}

# --- a site ----------------------------------------------------------------------------------------

# site NAME [FLAGS OF topics create...]: sets `name`, `folder` and `site`, the flags of every command.
site() {
  name=$1
  folder=$dir/$name
  site=(--set "folder=$folder" --set source.kind=kafka --set sink.kind=kafka
    --set "kafka.bootstrap.servers=$broker" --set "topics.events=$name.events" --set "topics.items=$name.items" --set "topics.recommendations=$name.lists"
    --set "topics.dead_letters=$name.letters" --set "kafka.group.id=$name"
    --set "kafka.transactional.id=$name" --set limits.seen_ids=100000
    --set status.milliseconds=100 --set batch.milliseconds=200)
  shift
  checks=$((checks + 1))
  "$program" topics create "${site[@]}" "$@" >"$dir/out" 2>"$dir/err" || fail "topics create for $name"
}

# Records as kcat takes them: key, tab, value. They are of now; `at` is another time.
now() { echo "${at:-$(date +%s%3N)}"; }
item() { printf '%s\t{"event":"item","id":"item-%s","timestamp":%s,"item":"%s"}\n' "$1" "$1" "$(now)" "$1"; }
checkin() { # ID USER ITEM
  printf '%s\t{"event":"checkin","id":"%s","timestamp":%s,"user":"%s","item":"%s"}\n' "$2" "$1" "$(now)" "$2" "$3"
}
# requests FIRST LAST: request N is of user uN, so that lists, which name users, tell what was answered.
requests() {
  seq "$1" "$2" | awk -v at="$(now)" \
    '{printf "u%d\t{\"event\":\"request\",\"id\":\"r%d\",\"timestamp\":%s,\"user\":\"u%d\",\"n\":3}\n", $1, $1, at, $1}'
}

# produce WHAT [FLAGS...]: standard input to the site's topic of events or items.
produce() {
  local topic=$name.$1
  shift
  kcat -P -q -b "$broker" -t "$topic" -K '\t' "$@" 2>"$dir/kcat.err" || fail "kcat: $(tail -n 1 "$dir/kcat.err")"
}
some_items() { for i in 0 1 2 3 4 5; do item "i$i"; done | produce items; }

# committed WHAT: the records of the site's topic (lists or letters) for who reads committed ones only.
committed() {
  kcat -C -q -e -b "$broker" -t "$name.$1" -o beginning -X isolation.level=read_committed \
    -X fetch.wait.max.ms=10 "${@:2}" 2>"$dir/kcat.err"
}
lists() { committed lists; }
answered() { lists | grep -o '"user":"u[0-9]*"' | cut -d '"' -f 4; }

# The status counts a list when it is made; this one when it is delivered.
enough_answers() { [ "$(answered | sort -u | wc -l)" -ge "$1" ]; }

# --- serve, in the background ----------------------------------------------------------------------

# begin [FLAGS...]: sets `served`, its process, and `log`, what it says.
begin() {
  mkdir -p "$folder"
  rm -f "$folder/status.json"
  log=$folder.log
  "$program" serve "${site[@]}" "$@" >"$dir/serve.out" 2>"$log" </dev/null &
  served=$!
  servers+=("$served")
}

status_of() { sed -nE "s/^ *\"$1\": \"?([^\",]*).*/\1/p" "$folder/status.json" 2>/dev/null; }
problem() { sed -nE 's/^ *"problem": (.*),$/\1/p' "$folder/status.json" 2>/dev/null; }
is_alive() { kill -0 "$1" 2>/dev/null; }

# wait_for COMMAND...: until it succeeds.
wait_for() {
  local until=$((SECONDS + patience))
  checks=$((checks + 1))
  until "$@"; do
    if [ "$SECONDS" -ge "$until" ]; then
      cp "${log:-/dev/null}" "$dir/err"
      cp "$folder/status.json" "$dir/out" 2>/dev/null
      fail "in vain for $patience s: $*"
      return 1
    fi
    sleep 0.05
  done
}
has_phase() { [ "$(status_of phase)" = "$1" ]; }
has_taken() { [ "$(status_of "$1")" -ge "$2" ] 2>/dev/null; } # FIGURE COUNT
has_problem() { problem | grep -qE -e "$1"; }
has_ended() { ! is_alive "$1"; }

# It must not end while we wait for it.
ready() {
  checks=$((checks + 1))
  local until=$((SECONDS + patience))
  until has_phase ready; do
    if ! is_alive "$served" || [ "$SECONDS" -ge "$until" ]; then
      cp "$log" "$dir/err"
      fail "$name: not ready"
      return 1
    fi
    sleep 0.05
  done
}

# shellcheck disable=SC2120  # called with arguments elsewhere
# ended [PID [SECONDS]]: sets `code`. One that does not end is killed.
ended() {
  local pid=${1:-$served} until=$((SECONDS + ${2:-$patience}))
  while is_alive "$pid" && [ "$SECONDS" -lt "$until" ]; do sleep 0.05; done
  if is_alive "$pid"; then
    checks=$((checks + 1))
    cp "$log" "$dir/err"
    fail "$name: process $pid does not end"
    kill -KILL "$pid"
  fi
  wait "$pid" 2>/dev/null
  code=$?
}

# Ends it as a user would; it ends well.
finish() {
  kill -TERM "$served" 2>/dev/null
  ended
  expect 'exit code after SIGTERM' "$code" 0
}

crash() {
  { kill -KILL "$served" && wait "$served"; } 2>/dev/null
}

# stops WORDS...: exit code 2, and a last line with all of these words (extended regular expressions).
stops() {
  local words
  ended
  cp "$log" "$dir/err"
  expect 'exit code' "$code" 2
  for words in '^headroom: ' "$@"; do
    checks=$((checks + 1))
    tail -n 1 "$log" | grep -qE -e "$words" || fail "$name: the last line lacks '$words': $(tail -n 1 "$log")"
  done
}

# Takes all that is there, and ends.
to_the_end() {
  begin --until-end "$@"
  ended
  cp "$log" "$dir/err"
  expect 'exit code of serve --until-end' "$code" 0
}

# expect WHAT FOUND WANTED
expect() {
  checks=$((checks + 1))
  [ "$2" = "$3" ] && return
  [ -z "${log:-}" ] || cp "$log" "$dir/err"
  fail "$name: $1: '$2', not '$3'"
}

# all_answered FIRST LAST: each of these requests once, and nothing else.
all_answered() {
  local found
  found=$(answered | sort)
  expect 'requests answered' "$(sort -u <<<"$found" | comm -3 - <(seq -f 'u%.0f' "$1" "$2" | sort) | head -n 5)" ''
  expect 'requests answered twice' "$(uniq -d <<<"$found" | head -n 5)" ''
}
