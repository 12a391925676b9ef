#!/usr/bin/env bash
# run_fuzz.sh MINUTES [PROCESSES]: looks for new inputs with libFuzzer, ASan and UBSan (preset "fuzz"), from a new seed
# each time: both targets side by side, PROCESSES of each (1), from the committed corpus and what earlier searches left
# in build/fuzz/corpus. A target stops at its first failure; the input is left in build/fuzz/found. Fails if there is one.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
source tests/fuzz/environment.sh

if ! [[ ${1-} =~ ^[1-9][0-9]*$ && ${2-1} =~ ^[1-9][0-9]*$ ]]; then
  sed -n '2,4s/^# //p' "$0"
  exit 2
fi
seconds=$(($1 * 60))
processes=${2-1}

# Where there is no clang, what was built elsewhere is run, with the libraries that came along.
export LD_LIBRARY_PATH=$build/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
if command -v clang++ >/dev/null; then
  build_targets "${targets[@]}"
elif [[ ! -x $build/fuzz/fuzz_run ]]; then
  echo "clang++ is not installed"
  exit 77
fi

started=$(mktemp)
trap 'rm -f "$started"' EXIT
mkdir -p "$build/found" "$build/log"
children=()
declare -A logs
trap 'kill "${children[@]}" 2>/dev/null || true' INT TERM
rm -f "$build"/log/*
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target"
  unpack "$target"
  for ((i = 1; i <= processes; ++i)); do
    seed=$((SRANDOM % 2000000000 + 1))
    log=$build/log/$target-$i
    echo "$target: -seed=$seed, $1 minutes, output in $log"
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=${leaks[$target]} "$build/fuzz/$target" -seed="$seed" \
      -max_total_time="$seconds" -detect_leaks="${leaks[$target]}" -max_len=512 -len_control=0 -timeout=60 \
      -report_slow_units=60 -rss_limit_mb=4096 -print_funcs=0 -print_final_stats=1 -reload=10 \
      -artifact_prefix="$build/found/$target-" "$build/corpus/$target" "$build/committed/$target" >"$log" 2>&1 &
    children+=("$!")
    logs[$!]=$log
  done
done

result=0
for child in "${children[@]}"; do
  wait "$child" && continue
  result=1
  echo "${logs[$child]}: $(grep -m1 '^SUMMARY' "${logs[$child]}" || tail -n 1 "${logs[$child]}")"
done
for target in "${targets[@]}"; do
  awk -v target="$target" '/^stat::number_of_executed_units/ { runs += $2 }
    END { printf "%s: %d inputs tried\n", target, runs }' "$build/log/$target"-*
done
while read -r found; do
  target=$(sed -E 's|.*/(fuzz_[a-z]+)-.*|\1|' <<<"$found")
  cat <<END

found: $found
  to see it:  $build/fuzz/$target $found
  or, in any build: fuzz/${target}_replay --input=$(base64 -w0 "$found")
  once mended, keep it:  echo "$(base64 -w0 "$found") what it found" >>$corpus/$target/found.txt
END
done < <(find "$build/found" -type f -newer "$started")
((result == 0)) && echo "nothing found"
exit "$result"
