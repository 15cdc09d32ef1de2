# shellcheck shell=bash
# Shared helpers of the scripts: where the repository is, how to speak, how to time a step.
# Sourced, never run by itself. Sets ROOT (the repository's top folder), CORES and CACHE (what is
# fetched or built once for all checkouts; cmake/librdkafka.cmake has the same rule).

# shellcheck disable=SC2034  # used by the scripts that source this file
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034
CORES=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
CACHE=${HEADROOM_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}/headroom}
[[ $CACHE == /* ]] || CACHE=$ROOT/$CACHE

# Colour only on a terminal.
if [[ -t 1 ]]; then
  BOLD=$'\e[1m' PLAIN=$'\e[0m'
else
  BOLD='' PLAIN=''
fi

say() { printf '%s%s%s\n' "$BOLD" "$*" "$PLAIN"; }

warn() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# die CODE WORDS...: says why and ends the script.
die() {
  local code=$1
  shift
  warn "$@"
  exit "$code"
}

# Microseconds since 1970, whatever the locale's decimal mark.
micros() { printf '%s' "${EPOCHREALTIME/[.,]/}"; }

# since MICROS: the seconds that passed since then, with one decimal.
since() {
  local tenths=$((($(micros) - $1 + 50000) / 100000))
  printf '%d.%d s' $((tenths / 10)) $((tenths % 10))
}

# step WORDS COMMAND...: says what is done, does it, says how long it took. Returns the command's
# exit code. (`set -e` has no effect inside a shell function that is run as a step.)
step() {
  local words=$1 start code=0
  shift
  say "==> $words"
  start=$(micros)
  "$@" || code=$?
  if ((code == 0)); then
    say "    $words: $(since "$start")"
  else
    warn "$words: failed after $(since "$start") (exit code $code)"
  fi
  return "$code"
}

# The major version of the Java in PATH, or 0.
java_major() {
  local words
  words=$(java -version 2>&1) || words=
  if [[ $words =~ version\ \"([0-9]+) ]]; then echo "${BASH_REMATCH[1]}"; else echo 0; fi
}

# head_comment FILE: the comment at the head of a script, which is its --help.
head_comment() { awk 'NR == 1 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$1"; }

# configure PRESET: the one configure line of all scripts, so that they share a build folder. Only
# the release build is tuned to this machine.
configure() {
  local flags=()
  if [[ $1 == release ]]; then
    flags+=(-DHEADROOM_TUNED=ON)
  fi
  cmake --preset "$1" ${flags[@]+"${flags[@]}"}
}

# build PRESET [ARGUMENTS...]: builds, with extra arguments for `cmake --build`.
build() { cmake --build --preset "$1" --parallel "$CORES" "${@:2}"; }

# oracle_python: a Python with HiGHS, which tests compare with, made on first use from PyPI.
ORACLE_PYTHON=$ROOT/build/test-venv/bin/python
oracle_python() {
  if [[ ! -x $ORACLE_PYTHON ]]; then
    python3 -m venv "$ROOT/build/test-venv" || return
  fi
  "$ORACLE_PYTHON" -c 'import highspy, numpy' 2>/dev/null ||
    "$ORACLE_PYTHON" -m pip --quiet --disable-pip-version-check install highspy numpy
}

# ctest_summary LOG: ctest's closing lines, from "N% tests passed" on.
ctest_summary() {
  if [[ ! -s $1 ]]; then
    echo "The tests did not run."
  elif grep -q '% tests passed' "$1"; then
    awk '/% tests passed/ { found = 1 } found' "$1"
  else
    tail -n 5 "$1"
  fi
}
