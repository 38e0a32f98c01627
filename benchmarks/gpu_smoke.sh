#!/usr/bin/env bash
# Tries the engine `cuda` of the command line on two GPUs: processes started by it and by torchrun, ranks that share
# GPUs, times, and the refusals. Prints one line a check; the exit code says whether all were right. About a minute.
#
#     bash benchmarks/gpu_smoke.sh [FOLDER]      # where the output of each command goes, for later
set -u
cd "$(dirname "$0")/.."
out=${1:-$(mktemp -d)}
mkdir -p "$out"
spec=specs/reverse_all2all.a2a
failed=0

check() { # NAME WANTED-CODE COMMAND…
  local name=$1 wanted=$2 code begun=$SECONDS
  shift 2
  timeout 120 "$@" >"$out/$name.txt" 2>"$out/$name.err"
  code=$?
  if [ "$code" = "$wanted" ]; then echo "ok    $name ($((SECONDS - begun)) s)"; else
    echo "WRONG $name: exit code $code, wanted $wanted"
    tail -n 15 "$out/$name.txt" "$out/$name.err"
    failed=1
  fi
}

# Emission formats with ruff, which must be installed; torch and Triton too.
python=$(command -v python || command -v python3)
cli="$python -m a2agen.cli"
run="$cli run $spec --engine cuda"
bench="$cli bench $spec --engine cuda --batches 5"
torchrun="$python -m torch.distributed.run --standalone --nproc-per-node 2 -m a2agen.cli"
two="-D W=2 -D S=512 -D H=8 -D D=512"
check run_direct 0 $run --schedule direct $two --format json
check run_copy_engine 0 $run --schedule copy_engine $two
check run_shared 0 $run --schedule direct --case tails --launches 5
check run_torchrun 0 $torchrun run $spec --engine cuda --schedule direct $two
check run_ascend 1 $run --schedule mte_pipelined $two
check bench_direct 0 $bench --schedule direct $two --format json
check bench_copy_engine 0 $bench --schedule copy_engine -D W=2 -D S=1024 -D H=16 -D D=7168
check bench_torchrun 0 $torchrun bench specs/forward_all2all.a2a --engine cuda --batches 5 --schedule direct $two
check bench_shared 2 $bench --schedule direct --case tails
check bench_cpu 2 $cli bench $spec --engine cpu
for name in run_direct run_copy_engine run_shared run_torchrun bench_direct bench_copy_engine bench_torchrun; do
  echo "== $name"
  tail -n 60 "$out/$name.txt"
done
exit $failed
