#!/usr/bin/env bash
# The command line of headroom-sim: what it refuses and how, and what good runs print.
#
# Usage: tests/cli_test.sh PATH-OF-HEADROOM-SIM PATH-OF-HEADROOM
set -uo pipefail

program=$1
headroom=$2
source "$(dirname "${BASH_SOURCE[0]}")/support/cli.sh"

# --- the data: 12 users and 10 items on a map, with and without stars -----------------------------
for user in 1 2 3 4 5 6 7 8 9 10 11 12; do
  for n in 0 1 2 3 4; do
    item=$(((user * 3 + n * n) % 10))
    echo "u$user i$item 1.3$item 103.8$item $((1 + (user + item) % 5)) $((1000000 + user * 100 + n))"
  done
done | tr ' ' '\t' >"$dir/places.tsv"
cut -f 1,2 "$dir/places.tsv" >"$dir/pairs.tsv"
cut -f 1,2,5 "$dir/places.tsv" >"$dir/stars.tsv"

places=(--dataset tsv --path "$dir/places.tsv" --columns 'user,item,lat,lon,-,time')
pairs=(--dataset tsv --path "$dir/pairs.tsv" --columns 'user,item')
stars=(--dataset tsv --path "$dir/stars.tsv" --columns 'user,item,value')
short=(--iterations 20 --repeats 2 --rank 3)

# --- commands and flags ---------------------------------------------------------------------------
refused 'subcommand'
refused "'bogus'" bogus
refused "'--bogus'" --bogus
refused '--dataset' data
refused '--dataset' paper
refused '--bogus' data "${pairs[@]}" --bogus
refused '--bogus' paper "${pairs[@]}" --bogus 3
refused 'surplus' data "${pairs[@]}" surplus
refused '--alpha' paper "${pairs[@]}" --alpha
refused '--path' data --dataset tsv --columns user,item
refused '--dataset' data "${pairs[@]}" --dataset tsv

refused 'dataset' data --dataset netflix
refused 'netflix' data --dataset netflix --path "$dir/pairs.tsv"
refused 'generated' data --dataset netflix
refused '--header' data "${pairs[@]}" --header maybe
refused '--header' data --dataset generated --header maybe
refused 'method' paper "${pairs[@]}" --method svd
refused 'capacity' paper "${pairs[@]}" --capacity infinite
refused 'propensity' paper "${pairs[@]}" --propensity mean
refused 'loss' paper "${pairs[@]}" --loss squared
refused 'feedback' paper "${pairs[@]}" --feedback both
for value in '' PMF 'pmf '; do refused 'method' paper "${pairs[@]}" --method "$value"; done
for k in 0 -3 nan inf '' 1e99 5x; do refused 'uniform' paper "${pairs[@]}" --capacity "uniform-$k"; done

for value in 1.5 -0.1 nan inf -inf abc '' 0.5x; do
  refused '--alpha' paper "${pairs[@]}" "--alpha=$value"
done
for flag in --repeats --rank --iterations --seed --threads; do
  for value in -1 abc 1.5 '' 99999999999999999999999; do
    refused "$flag" paper "${pairs[@]}" "$flag=$value"
  done
done
for flag in --repeats --rank --iterations --threads; do refused "$flag" paper "${pairs[@]}" "$flag" 0; done
for flag in --repeats --rank --threads; do refused "$flag" paper "${pairs[@]}" "$flag" 1025; done
refused '--rank' paper "${pairs[@]}" --rank 1000
refused '--iterations' paper "${pairs[@]}" --iterations 1000001
for flag in --temperature --step; do
  for value in 0 -1 nan 1e30; do refused "$flag" paper "${pairs[@]}" "$flag=$value"; done
done
for flag in --l2 --tolerance; do
  for value in -1 nan inf; do refused "$flag" paper "${pairs[@]}" "$flag=$value"; done
done
for flag in --min-count --seed; do refused "$flag" data "${pairs[@]}" "$flag=-1"; done
for value in 0 24 -1 1.5 nan; do refused '--level' data "${places[@]}" "--level=$value"; done
for value in 0 -1 nan 101; do refused '--width' data "${places[@]}" "--width=$value"; done
for value in -5 1 1000001 18446744073709551615; do
  refused '--users' data --dataset generated "--users=$value"
done
for value in -5 19 100001; do refused '--items' data --dataset generated "--items=$value"; done
refused '--seed' evening --folder "$dir/nobody" --seed=-1
for value in -1 0.5 fast nan; do refused '--speed' evening --folder "$dir/nobody" "--speed=$value"; done
for value in -1 0 soon; do refused '--seconds' evening --folder "$dir/nobody" "--seconds=$value"; done
refused 'no-such.yaml' evening --folder "$dir/nobody" --world "$dir/no-such.yaml"
refused 'both log or both kafka' evening --folder "$dir/nobody" --set sink.kind=stdout
refused 'no serve is ready' evening --folder "$dir/nobody"
for value in -1 abc 1.5 ''; do
  for flag in --limit --seed --threads --min-count; do refused "$flag" quality "${pairs[@]}" "$flag=$value"; done
  refused '--epochs' epochs "${pairs[@]}" "--epochs=$value"
done
for value in -1 nan inf abc 86401; do
  refused '--batch-seconds' quality "${pairs[@]}" "--batch-seconds=$value"
done
for command in quality epochs; do
  refused '--dataset' "$command"
  refused '--bogus' "$command" "${pairs[@]}" --bogus
  refused 'KEY=VALUE' "$command" "${pairs[@]}" --set learner.bogus=1
  refused 'KEY=VALUE' "$command" "${pairs[@]}" --set learner.rank
  refused 'learner.rank' "$command" "${pairs[@]}" --set learner.rank=0
  refused 'none.yaml' "$command" "${pairs[@]}" --config "$dir/none.yaml"
done
for value in 0 10001; do refused '--epochs' epochs "${pairs[@]}" --epochs "$value"; done
refused 'unknown policy' allot "${pairs[@]}" --policy best
refused '--arrivals' allot "${pairs[@]}" --arrivals never
refused 'capacit' allot "${pairs[@]}" --capacity lots
for flag in --orders --people --n; do refused "$flag" allot "${pairs[@]}" "$flag=0"; done
for value in 0 -1 nan; do refused '--supply' allot "${pairs[@]}" "--supply=$value"; done
refused '--out' generate
refused '--format' generate --out "$dir/city" --format xml
refused 'twice' generate --out "$dir/city" --format tsv,wire,tsv
refused 'check-outs' generate --out "$dir/city" --format tsv,csv --checkouts 0.5
refused '--first-day' generate --out "$dir/city" --first-day yesterday
refused '--first-day' generate --out "$dir/city" --first-day 1969-12-31
for flag in --users --items --days --visits --supply; do
  for value in 0 -1 nan 10000000; do refused "$flag" generate --out "$dir/city" "$flag=$value"; done
done
for flag in --habit --checkouts; do
  for value in -0.1 1.1 nan; do refused "$flag" generate --out "$dir/city" "$flag=$value"; done
done
refused '--bursts' generate --out "$dir/city" --days 3 --bursts 31
refused 'city' generate --out /dev/null/city
checks=$((checks + 1))
[ ! -e "$dir/city" ] || fail 'a refused city left something behind'
refused 'no event' quality "${pairs[@]}" --min-count 100
refused 'no calendar time' replay "${pairs[@]}"
refused "unknown policy 'best'" replay "${places[@]}" --policies none,best
refused 'capacit' replay "${places[@]}" --capacity lots
refused 'no capacities' replay "${places[@]}" --capacity given
refused 'calendar time' events "${pairs[@]}"
refused 'nowhere' events "${places[@]}" --out "$dir/nowhere/events.jsonl"
refused 'propensity' replay "${places[@]}" --propensity mean
refused "'when'" replay --dataset tsv --path "$dir/places.tsv" --columns user,item,when
refused 'no event' replay "${places[@]}" --min-count 100
for value in 0 1 -0.1 nan x .1,,.2 '.1 .2'; do refused '--overload' replay "${places[@]}" "--overload=$value"; done
for value in 0s 8d -1d x 1w '' 5; do refused '--hold' replay "${places[@]}" "--hold=$value"; done
for value in 0 0d -1 x ''; do refused '--period' replay "${places[@]}" "--period=$value"; done
for value in 0 1001 -1 x; do for flag in --n --seeds; do refused "$flag" replay "${places[@]}" "$flag=$value"; done; done
for value in -0.1 0.96 nan; do refused '--warm' replay "${places[@]}" "--warm=$value"; done
for value in -0.1 1.5 nan; do refused '--alpha' replay "${places[@]}" "--alpha=$value"; done
refused '--holding' replay "${places[@]}" --holding half
refused '--rule' replay "${places[@]}" --rule later
refused '--stay' replay "${places[@]}" --stay long
refused '--visited' replay "${places[@]}" --visited maybe
refused 'KEY=VALUE' replay "${places[@]}" --set learner.bogus=1
refused '--data' figures
refused 'netflix' figures --data netflix --out "$dir/figures"
refused '--repeats' figures --data generated --repeats=-1 --out "$dir/figures"

# --- files ----------------------------------------------------------------------------------------
: >"$dir/empty.tsv"
refused 'empty.tsv' data --dataset tsv --path "$dir/empty.tsv" --columns user,item
refused 'empty.tsv' paper --dataset tsv --path "$dir/empty.tsv" --columns user,item
refused 'missing.tsv' data --dataset tsv --path "$dir/missing.tsv" --columns user,item
refused "$dir" data --dataset tsv --path "$dir" --columns user,item
refused "$dir" data --dataset ml-100k --path "$dir"
printf 'u\ti\nu\tj\nu\tk\n' >"$dir/one_user.tsv"
refused 'two users' data --dataset tsv --path "$dir/one_user.tsv" --columns user,item
printf 'u\ti\nv\ti\nw\ti\n' >"$dir/one_item.tsv"
refused 'two items' data --dataset tsv --path "$dir/one_item.tsv" --columns user,item
printf 'u\ti\nu\tj\nv\ti\n' >"$dir/one_rating.tsv"
refused "user 'v' has one rating" paper --dataset tsv --path "$dir/one_rating.tsv" --columns user,item
for place in 'nan 103.8' '1.3 nan' '1.3 inf' '91 103.8' '1.3 181' '1.3 x'; do
  printf 'u i 1.3 103.8\nu j %s\nv i 1.3 103.8\nv j 1.3 103.9\n' "$place" | tr ' ' '\t' >"$dir/bad.tsv"
  refused 'bad.tsv:2: ' data --dataset tsv --path "$dir/bad.tsv" --columns user,item,lat,lon
done
if command -v xz >/dev/null; then
  xz -k "$dir/pairs.tsv"
  head -c 60 "$dir/pairs.tsv.xz" >"$dir/cut.tsv.xz"
  accepted data --dataset tsv --path "$dir/pairs.tsv.xz" --columns user,item
  refused 'cut.tsv.xz' data --dataset tsv --path "$dir/cut.tsv.xz" --columns user,item
fi
refused 'no-such-folder' data "${pairs[@]}" --export "$dir/no-such-folder/x.tsv"
refused 'two lines' data --dataset tsv --path "$dir/"$'two\nlines' --columns user,item

# --- what does not go together ----------------------------------------------------------------------
refused 'geomf needs places' paper "${pairs[@]}" --method geomf
refused 'geobpr needs places' paper "${pairs[@]}" --method geobpr
refused 'explicit feedback' paper "${pairs[@]}" --feedback explicit
refused "'liked'" paper "${pairs[@]}" --propensity liked
refused 'filter of 100' paper "${pairs[@]}" --min-count 100
refused 'filter of 100' data "${pairs[@]}" --min-count 100

# --- good runs --------------------------------------------------------------------------------------
for command in '' data paper figures evening; do
  # shellcheck disable=SC2086  # no command is no argument
  accepted $command --help && printed 'headroom-sim|--'
done
accepted --version && printed '^[0-9]+\.[0-9]+\.[0-9]+$'

accepted data "${places[@]}" && printed 'users +12$'
if accepted data "${places[@]}" --json; then
  one_object
  for fact in '"users":12' '"items":10' '"ratings":60' '"tiles":10' '"manifest":\{'; do printed "$fact"; done
fi
accepted data "${pairs[@]}" --json && one_object && printed '"tiles":null'

# What is exported is what was read.
accepted data "${places[@]}" --export "$dir/export.tsv"
checks=$((checks + 1))
cut -f 1,2 "$dir/places.tsv" | sort >"$dir/read"
cut -f 1,2 "$dir/export.tsv" | sort | cmp -s - "$dir/read" || fail "the export has other pairs"

number='-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?'
for method in pmf bpr geomf geobpr; do
  accepted paper "${places[@]}" --method "$method" "${short[@]}" --json || continue
  one_object
  for fact in '"users":12' '"items":10' '"ratings":60' '"tiles":10' "\"seconds\":$number" '"manifest":\{'; do
    printed "$fact"
  done
  for figure in rmse pairwise capacity_loss objective ap wap wmcv wmcv_amount iterations; do
    printed "\"$figure\":\{\"mean\":$number,\"sd\":$number\}"
  done
done
for feedback in implicit explicit; do
  accepted paper "${stars[@]}" "${short[@]}" --feedback "$feedback" --propensity liked --json && one_object
done
accepted paper "${pairs[@]}" "${short[@]}" --post-process && printed 'wmcv_amount'
accepted paper --dataset generated --users 20 --items 30 "${short[@]}" --json && one_object

# The live engine, judged. Data without time is taken in its order.
for flags in '' '--first-visits' '--no-hr --no-speed' '--batch-seconds 0 --limit 20' '--min-count 2'; do
  # shellcheck disable=SC2086
  accepted quality "${places[@]}" $flags --set learner.rank=4 --set learner.method=geobpr --json || continue
  one_object
  for fact in '"items":10' '"rejected_steps":0' '"learner.rank":4' '"manifest":\{'; do printed "$fact"; done
  for figure in events users auc auc_second_half count_auc early_events early_auc early_count_auc; do
    printed "\"$figure\":$number"
  done
done
accepted quality "${places[@]}" --json && printed '"events":60,"users":12' && printed "\"hr10\":$number" &&
  printed "\"events_per_second\":$number" && printed "\"cpu_seconds\":$number"
accepted quality "${pairs[@]}" --no-hr --no-speed --json && printed '"hr10":null'
accepted quality "${pairs[@]}" && printed "events/s"
accepted epochs "${places[@]}" --epochs 3 --json && one_object && printed "\"best_auc\":$number" &&
  printed '"0.925":' && printed '"epochs":3'
accepted epochs "${pairs[@]}" --epochs 2 && printed 'after [0-9.]+ epochs'

# report_in FOLDER KIND: the run left its report, and a page that has it.
report_in() {
  checks=$((checks + 2))
  grep -q "^{\"kind\":\"$2\",.*\"manifest\":{" "$1/report.json" || fail "$1: no report of $2"
  grep -q "\"kind\":\"$2\",.*\"manifest\":{" "$1/report.html" || fail "$1: no page of $2"
}

# A replay, with every policy and several levels of overload.
replay=(replay "${places[@]}" --n 3 --hold 10m --period 20 --overload .2,.5)
if accepted "${replay[@]}" --seeds 2 --out "$dir/replay" --json; then
  one_object
  printed '"default":"price"' && printed '"events":60' && printed '"manifest":\{'
  for policy in none cutoff cap greedy price both popularity random; do printed "\"policy\":\"$policy\""; done
  for figure in hit_rate wap seated overload_people overload_time gini coverage; do
    printed "\"$figure\":\{\"mean\":$number,\"low\":$number,\"high\":$number\}"
  done
  checks=$((checks + 2))
  # Two levels, eight policies, two seeds, three periods of 20 events; and a head.
  [ "$(wc -l <"$dir/replay/curves.csv")" = $((2 * 8 * 2 * 3 + 1)) ] || fail "curves.csv has other rows"
  [ "$(wc -l <"$dir/replay/policies.csv")" = $((2 * 8 + 1)) ] || fail "policies.csv has other rows"
  report_in "$dir/replay" replay
fi
accepted "${replay[@]}" --holding choice --rule ahead --policies greedy,price --warm 0.3 && printed 'hit rate' && printed ' price '
accepted "${replay[@]}" --policies greedy --timing --json && printed "\"events_per_second\":$number"
accepted replay "${places[@]}" --overload none --policies none,random && printed 'as they are'

accepted allot "${pairs[@]}" --orders 2 --n 2 --json && one_object &&
  printed "\"share_of_bound\":{\"mean\":$number" && printed '"violations":0' && printed "\"gap\":"
accepted allot "${pairs[@]}" --n 2 --policy greedy --arrivals stream && printed '% of the bound'

# A city goes through the live program's door and through the readers.
city=(--users 60 --items 40 --days 20)
accepted generate --out "$dir/city" "${city[@]}" --format wire,tsv,csv --json && one_object &&
  printed '"visits":[0-9]{3}' && printed '"manifest":\{'
accepted generate --out "$dir/city2" "${city[@]}" --threads 1 && printed '60 people, 40 places'
checks=$((checks + 1))
cmp -s "$dir/city/events.jsonl" "$dir/city2/events.jsonl" || fail 'the same city has other bytes'
accepted data --dataset tsv --path "$dir/city/checkins.tsv" --columns user,item,time \
  --places "$dir/city/places.tsv" --place-columns item=item,lat=lat,lon=lon && printed 'users +60$'

# The closed loop: flags, a World file, and the same figures on any number of threads.
small=(--users 150 --items 30 --history-days 2 --days 2 --warm-days 1 --seeds 2)
refused '--listening' live --listening always
refused '--overload' live --overload 0
refused '--users' live --users many
refused '--alphas' live --alphas 0.2,0
refused 'twice' live --alphas 0.2,0.2
refused "'best'" live --policies best
refused 'no day is left' live --days 2 --warm-days 2
refused 'all feedback is lost' live --lost 1 --wrong 0.1
refused 'none.yaml' live --world "$dir/none.yaml"
refused '--seeds' live --seeds 0
printf 'users: 100\nrush: 2\n' >"$dir/world.yaml"
refused 'world.yaml:2: rush: ' live --world "$dir/world.yaml"
printf 'way_from: 9\nway_to: 3\n' >"$dir/world.yaml"
refused 'way_from' live --world "$dir/world.yaml"
printf 'users: 150\nlistening: groups\n' >"$dir/world.yaml"
accepted live "${small[@]}" --world "$dir/world.yaml" --policies greedy --out "$dir/live" &&
  printed '^greedy ' && printed 'over t'
checks=$((checks + 1))
[ "$(head -n 1 "$dir/live/load.csv")" = policy,from,item,kind,lat,lon,people,capacity ] &&
  [ "$(wc -l <"$dir/live/load.csv")" -gt 100 ] || fail 'no load by time and place'
report_in "$dir/live" live

# An experiment of a file; the command line goes over it.
printf 'command: live\nusers: 99999999\njson: true\nseeds: 1\nset: [seats.risk=.1, prices.steepness=1]\npolicies: random\n' \
  >"$dir/experiment.yaml"
accepted run "$dir/experiment.yaml" "${small[@]}" && one_object && printed '"seats.risk":"?0.1"?'
refused '--users' run "$dir/experiment.yaml"
for wrong in 'users: 3' 'command: nothing' 'command: live\nusrs: 3' 'command: live\nseeds: 1\nseeds: 2' '[live]' 'command: ['; do
  printf '%b\n' "$wrong" >"$dir/experiment.yaml"
  refused '' run "$dir/experiment.yaml" "${small[@]}"
done
refused 'none.yaml: cannot be read' run "$dir/none.yaml"
experiments=$(dirname "${BASH_SOURCE[0]}")/../config/experiments
accepted live --world "$experiments/rush_hour.yaml" "${small[@]}" --policies random --json &&
  printed '"undecided":"0.7"'
for threads in 1 2; do
  accepted live "${small[@]}" --json --threads "$threads" && one_object &&
    printed '"listening":"constant"' && printed "\"seated\":\{\"mean\":$number"
  sed -E 's/ --threads [12]//' "$dir/out" >"$dir/on_$threads"
done
checks=$((checks + 1))
cmp -s "$dir/on_1" "$dir/on_2" || fail 'live: 1 and 2 threads differ'

# Lists as lines of JSON, at a pace; what is meant for a broker needs one.
for speed in fast -1 nan inf 2e9; do refused '--speed' live --speed "$speed"; done
refused '--keep-topics' live --keep-topics
refused '--kafka' live --kafka ''
accepted live "${small[@]}" --policies random,price+cap\ 0.2 --lists "$dir/lists" --speed 1e6
checks=$((checks + 1))
[ "$(ls "$dir/lists" | tr '\n' ' ')" = 'price+cap-0.2-1.jsonl price+cap-0.2-2.jsonl price-1.jsonl price-2.jsonl ' ] &&
  ! grep -qvE '^\{"recommendation":"r-.*\}$' "$dir/lists"/*.jsonl || fail 'no lists by policy and seed'

# Figures: what can't be drawn is refused before anything is trained.
refused "twice" figures --data generated --data generated --out "$dir/figures"
refused "column map" figures --data "tsv=$dir/none.tsv" --out "$dir/figures"
refused "NAME=PATH" figures --data ml-100k --out "$dir/figures"
mkdir -p "$dir/taken/index.html"
refused "index.html" figures --data generated --out "$dir/taken"
refused "no file" data --dataset generated --path "$dir"
refused "--users" data "${pairs[@]}" --users 5

# --- one's own seats ------------------------------------------------------------------------------
{ echo item,capacity,dwell_minutes; for item in 1 2 3 4 5; do echo "i$item,2,30"; done; echo i6,,; } >"$dir/seats.csv"
tr '\t' , <"$dir/places.tsv" >"$dir/own.csv"
own=(--dataset csv --path "$dir/own.csv" --columns user,item,-,-,-,time
  --places "$dir/seats.csv" --place-columns item,capacity,dwell)
accepted replay "${own[@]}" --capacity given --overload none --out "$dir/own" && printed 'price'
for file in report.html report.json; do [ -s "$dir/own/$file" ] || fail "replay left no $file"; done
accepted replay "${own[@]}" --capacity given --overload .3 --policies price
{ cat "$dir/seats.csv"; echo i7,-1,; } >"$dir/bad.csv"
refused 'bad.csv:8: the capacity' replay "${own[@]/seats.csv/bad.csv}" --capacity given
accepted events "${own[@]}" --requests
printed '^\{"event":"item","id":"i-[0-9]+",.*"capacity":.*"limit":2[.0-9]*.*"dwell_minutes":30'
printed '^\{"event":"checkin","id":"e-0",'
for count in item:10 checkin:60 request:12; do
  checks=$((checks + 1))
  [ "$(grep -c "^{\"event\":\"${count%:*}\"" "$dir/out")" = "${count#*:}" ] || fail "not $count events"
done
checks=$((checks + 2))
[ "$(grep -o '"id":"[^"]*"' "$dir/out" | sort | uniq -d)" = '' ] || fail 'an id is there twice'
cp "$dir/out" "$dir/first"
accepted events "${own[@]}" --requests --out "$dir/events.jsonl"
cmp -s "$dir/first" "$dir/events.jsonl" || fail 'events in a file differ from those on standard output'
# The live program makes a list of each request, and puts nothing aside.
checks=$((checks + 1))
if ! { "$headroom" send "$dir/events.jsonl" --folder "$dir/mine" &&
  "$headroom" serve --folder "$dir/mine" --set clock=event --until-end; } >"$dir/out" 2>"$dir/err"; then
  fail 'headroom does not take the events'
else
  checks=$((checks + 2))
  [ "$(cat "$dir/mine/log/headroom.recommendations/0/"*.log | grep -o '"user":"[^"]*"' | sort -u | wc -l)" = 12 ] ||
    fail 'not one list for each user'
  [ -z "$(cat "$dir/mine/log/headroom.dead-letters/0/"*.log 2>/dev/null)" ] || fail 'dead letters'
fi

# The same on any number of threads.
same_on_threads() {
  local threads
  for threads in 1 2; do
    accepted "$@" --json --threads "$threads" || return
    sed -E "s/\"seconds\":$number//g; s/\"(threads|peak_megabytes)\":$number//g; s/ --threads [12]//" "$dir/out" >"$dir/on_$threads"
  done
  checks=$((checks + 1))
  cmp -s "$dir/on_1" "$dir/on_2" || fail "$*: 1 and 2 threads differ"
}
same_on_threads paper "${places[@]}" "${short[@]}" --method geomf
same_on_threads paper "${places[@]}" "${short[@]}" --method geobpr --capacity linear-max --post-process
same_on_threads "${replay[@]}" --seeds 2

# A name that is no UTF-8 is still JSON; what cannot be written is said.
odd=$dir/$'odd\xff.tsv'
if cp "$dir/pairs.tsv" "$odd" 2>/dev/null; then
  accepted data --dataset tsv --path "$odd" --columns user,item --json && one_object
fi
if [ -w /dev/full ]; then
  checks=$((checks + 1))
  : >"$dir/out"
  "$program" data "${pairs[@]}" --json >/dev/full 2>"$dir/err"
  code=$?
  if [ "$code" != 2 ] || ! grep -q '^headroom-sim: standard output' "$dir/err"; then
    fail "a full disk: exit code $code, not 2"
  fi
fi

result
