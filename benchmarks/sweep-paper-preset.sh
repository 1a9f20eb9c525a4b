#!/usr/bin/env bash
# The settings the paper leaves open: SVGD step and bandwidth of the kernel density that becomes the
# next task's prior. Hartmann-6, tasks and seeds that no figure uses. One JSON document per line.
# usage: sweep-paper-preset.sh BATON > sweep.jsonl
set -euo pipefail
baton=$1
for method in mft-mes continual; do
  for open in "plain 1e-3 0.5" "plain 1e-3 0.05" "plain 1e-3 0.005" "plain 3e-4 0.5" \
              "plain 3e-4 0.05" "plain 3e-3 0.05" "adam 1e-3 0.5" "adam 3e-4 0.05"; do
    read -r step rate kde <<< "$open"
    "$baton" experiment --problem hartmann6 --method "$method" --fresh-tasks --seed 9001 \
      --experiments 16 --tasks 5 --set svgd_step="$step" --set svgd_rate="$rate" \
      --set kde_variance="$kde" --json
  done
done
