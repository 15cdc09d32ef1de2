# For tests of a program's command line: set `program`, source this, and end with `result`.
# shellcheck shell=bash
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
checks=0
failures=0

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
  sed 's/^/    stderr: /' "$dir/err" | head -n 5
  head -c 300 "$dir/out" | sed 's/^/    stdout: /'
}

run() {
  checks=$((checks + 1))
  "$program" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
}

# refused WORDS ARGUMENTS...: exit code 2, nothing on standard output, and one line on standard error
# that begins with the program's name and contains WORDS.
refused() {
  local words=$1 shown
  shift
  run "$@"
  printf -v shown '%q ' "$@"
  [ "$code" = 2 ] || { fail "$shown: exit code $code, not 2"; return; }
  [ ! -s "$dir/out" ] || { fail "$shown: something on standard output"; return; }
  [ "$(wc -l <"$dir/err"):$(grep -c . "$dir/err")" = 1:1 ] ||
    { fail "$shown: not one line on standard error"; return; }
  grep -q "^$(basename "$program"): " "$dir/err" || { fail "$shown: the line has no program's name"; return; }
  grep -qF -e "$words" "$dir/err" || fail "$shown: the line does not mention '$words'"
}

# accepted ARGUMENTS...: exit code 0 and nothing on standard error.
accepted() {
  run "$@"
  [ "$code" = 0 ] || { fail "$*: exit code $code, not 0"; return 1; }
  [ ! -s "$dir/err" ] || { fail "$*: something on standard error"; return 1; }
}

# printed PATTERN: the last run's standard output has it (extended regular expression).
printed() {
  checks=$((checks + 1))
  grep -qE -e "$1" "$dir/out" || fail "the output lacks $1"
}

# One object on one line: braces and brackets close each other and nothing follows.
one_object() {
  checks=$((checks + 1))
  [ "$(wc -l <"$dir/out")" = 1 ] || { fail "not one line of JSON"; return; }
  local rest size
  rest=$(sed 's/"\([^"\\]\|\\.\)*"/s/g' "$dir/out" | tr -cd '{}[]:,s0-9nul.')
  while size=${#rest}; [ "$size" -gt 1 ]; do
    rest=$(sed 's/\[[^][{}]*\]/0/g; s/{[^][{}]*}/0/g' <<<"$rest")
    [ "${#rest}" -lt "$size" ] || break
  done
  [ "$rest" = 0 ] || fail "not one JSON object: $rest"
}

result() {
  echo "$checks checks, $failures failed"
  [ "$failures" = 0 ]
}
