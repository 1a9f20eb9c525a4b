#!/bin/sh
# One JSON line in, one out: the compressed size of a file, in bits per byte.
read -r line
number() { printf '%s' "$line" | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }
word() { printf '%s' "$line" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# The files are made up, always the same ones.
case $(word task) in
numbers) file='{ for (i = 0; i < 90000; i++) printf "%d,%d\n", i * 7919 % 100003, i % 17 }' ;;
records) file='{ for (i = 0; i < 30000; i++) printf "%08d%-8s%04d\n", i, substr("anna  bert  carla david ", i % 4 * 6 + 1, 6), i * i % 9973 }' ;;
*) file='{ split("the a of quick slow brown red fox dog hen jumps runs over under near lazy busy", w, " ")
          for (i = 0; i < 200000; i++) { x = (x * 69069 + 12345) % 4294967296; printf "%s%s", w[int(x / 65536) % 17 + 1], i % 11 ? " " : ".\n" } }' ;;
esac
size=$(($(word fidelity | cut -d' ' -f1) * 1024))
bytes=$(awk "BEGIN $file" </dev/null | head -c "$size" |
    xz --format=raw --lzma2="lc=$(number lc),lp=$(number lp),pb=$(number pb),nice=$(number nice)" --stdout | wc -c)
awk -v bytes="$bytes" -v size="$size" 'BEGIN { printf "{\"value\": %.6f}\n", 8 * bytes / size }'
