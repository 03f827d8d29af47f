# Runs steps one after another, each with a heading, a limit and its duration, and adds up what passed. To be sourced.

passed=0
failed=0
step_group=
logs=$(mktemp -d)
trap end_steps EXIT
trap 'exit 130' INT TERM

# step LIMIT HEADING COMMAND…: runs the command in a process group of its own, which is gone when the step is over, and with it what
# has left the group: all that it started bears its mark in the environment.
# Its output is shown and kept in $log, the time it took in $step_seconds.
step() {
  local limit=$1 heading=$2 began=$SECONDS status=0
  shift 2
  log=$(mktemp -p "$logs")
  printf '\n=== %s\n' "$heading"
  set -m # a background job gets a process group only under job control
  CHIMERA_TEST_STEP=$$ timeout --foreground --kill-after=10s "$limit" "$@" >"$log" 2>&1 </dev/null &
  step_group=$!
  set +m
  # Not a pipe into tee: whatever the command left behind would hold it open.
  tail -n +1 -f --sleep-interval=0.2 --pid="$step_group" "$log" &
  wait "$step_group" || status=$?
  wait $!
  stop_group
  step_seconds=$((SECONDS - began))
  [[ $status == 124 ]] && echo "stopped: longer than $limit"
  printf -- '--- %s: %s, %dm%02ds\n' "$heading" "$([[ $status == 0 ]] && echo ok || echo "FAILED ($status)")" \
    $((step_seconds / 60)) $((step_seconds % 60))
  return "$status"
}

# check LIMIT HEADING COMMAND…: a step that counts as one test.
check() {
  if step "$@"; then ((++passed)); else ((++failed)); fi
}

# suite LIMIT HEADING COMMAND…: a step that runs tests and says how many. A test that is skipped or ignored did not
# pass, and a run that fails without a failed test (it did not compile, it crashed) is one failure.
suite() {
  local status=0 counted good bad
  step "$@" || status=$?
  counted=$(awk '
    /^test result:/ { good += $4; bad += $6 + $8 } # cargo test: "ok. 3 passed; 0 failed; 0 ignored;"
    $1 == "ℹ" && $2 == "pass" { good += $3 } # node --test: "ℹ pass 3"
    $1 == "ℹ" && $2 ~ /^(fail|cancelled|skipped|todo)$/ { bad += $3 }
    END { print good + 0, bad + 0 }' "$log")
  read -r good bad <<<"$counted"
  [[ $status != 0 && $bad == 0 ]] && bad=1
  ((passed += good, failed += bad)) || true
}

# Ends what a step left behind: politely, then for good.
stop_group() {
  [[ $step_group ]] || return 0
  if kill -TERM -- "-$step_group" 2>/dev/null; then
    echo "some of its processes were still running; they are stopped now"
    for _ in {1..20}; do
      kill -0 -- "-$step_group" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL -- "-$step_group" 2>/dev/null || true
  fi
  grep -lsz "^CHIMERA_TEST_STEP=$$\$" /proc/[0-9]*/environ | cut -d/ -f3 | xargs -r kill -KILL 2>/dev/null || true
  step_group=
}

end_steps() {
  stop_group
  rm -rf "$logs"
}
