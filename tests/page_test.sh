#!/usr/bin/env bash
# The page of a report in a real browser: what is drawn, and that nothing fails when every choice is
# tried. Skipped (exit code 77) without chromium.
#
# Usage: tests/page_test.sh PATH-OF-HEADROOM-SIM full|plain
set -uo pipefail

program=$1
page=$2
source "$(dirname "${BASH_SOURCE[0]}")/support/cli.sh"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "skipped: there is no chromium"
  exit 77
}

# open FILE: what the browser makes of it, as text.
open() {
  "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" \
    --dump-dom "file://$1" 2>/dev/null </dev/null
}

echo '<p>it opens files</p>' >"$dir/hello.html"
open "$dir/hello.html" | grep -q 'it opens files' || {
  echo "skipped: $browser does not open files in $dir"
  exit 77
}

for user in 1 2 3 4 5 6 7 8 9 10 11 12; do
  for n in 0 1 2 3 4; do
    item=$(((user * 3 + n * n) % 10))
    printf 'u%s\ti%s\t%s\n' "$user" "$item" $((1000000 + user * 100 + n))
  done
done >"$dir/visits.tsv"

accepted live --users 150 --items 30 --history-days 2 --days 2 --warm-days 1 --seeds 2 --alphas 0.2 \
  --out "$dir/live"
accepted live --users 150 --items 30 --history-days 2 --days 2 --warm-days 1 --seeds 1 \
  --policies random --out "$dir/alone"
accepted replay --dataset tsv --path "$dir/visits.tsv" --columns user,item,time --n 3 --hold 10m \
  --period 20 --overload .2,.5 --seeds 2 --out "$dir/replay"
accepted replay --dataset tsv --path "$dir/visits.tsv" --columns user,item,time --n 3 --overload none \
  --policies greedy --out "$dir/as-they-are"

# What somebody can change on the page, all of it.
cat >"$dir/try.html" <<'END'
<script>
  for (let round = 0; round < 2; ++round) {
    for (const box of document.querySelectorAll("input[type=checkbox]")) box.click();
    for (const select of document.querySelectorAll("select")) {
      for (const option of select.options) {
        select.value = option.value;
        select.dispatchEvent(new Event("change"));
      }
    }
    for (const slider of document.querySelectorAll("input[type=range]")) {
      for (const end of [slider.max, slider.min]) {
        slider.value = end;
        slider.dispatchEvent(new Event("input"));
      }
    }
  }
</script>
END

# opened FILES: what people see of the page, followed by other files, in a browser, in $dir/out.
opened() {
  {
    cat "$@"
    echo '<script>for (const code of document.querySelectorAll("script, style")) code.remove();</script>'
  } >"$dir/opened.html"
  open "$dir/opened.html" | sed '/^<!--$/,/^-->/d' >"$dir/out"
  printed '<h1>'
  not_printed 'has a fault' 'NaN' 'undefined' 'Infinity' '\[object'
}

not_printed() {
  local words
  for words in "$@"; do
    checks=$((checks + 1))
    ! grep -q -e "$words" "$dir/out" || fail "the page says $words"
  done
}

# at_least NUMBER TAG: so many of them were drawn.
at_least() {
  checks=$((checks + 1))
  local found
  found=$(grep -o "<$2[ >]" "$dir/out" | wc -l)
  [ "$found" -ge "$1" ] || fail "$found of <$2>, not $1"
}

if [ "$page" = plain ]; then
  echo "npm was missing when this was built: the plain page is tried, which has no charts"
  for run in live replay; do
    opened "$dir/$run/report.html"
    printed '>manifest<'
    printed '>policies<'
    at_least 1 table
  done
  result
  exit
fi

for run in live alone replay as-they-are; do
  opened "$dir/$run/report.html"
  printed 'How it was run'
  at_least 1 table
  opened "$dir/$run/report.html" "$dir/try.html"
  at_least 2 svg
done
opened "$dir/live/report.html"
at_least 4 svg
at_least 65 circle # two maps of 30 places, and the dots of the trade-off
for words in 'unconstrained lists: ' 'value, more is better' 'places overfull|more people than room' '>default<'; do
  printed "$words"
done
at_least 16 tr
opened "$dir/replay/report.html"
at_least 3 svg
at_least 15 circle
printed 'keeps [0-9.]+[^0-9]{1,6}% of the hits'
printed 'hits kept \(%\), more is better'
result
