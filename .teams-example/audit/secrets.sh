#!/bin/sh
# Prints "## Secrets and big files": where something looks like a secret, and of which kind, never the secret itself;
# file names that usually hold one; and the largest files.
set -eu
. "$TEAMS_PLAN_DIR/audit/lib.sh"

echo '## Secrets and big files'
echo
forms=$(grep -v '^#' "$here/kinds.tsv" | cut -f 4)
printf '%s\n' "$forms" | matches -f - | awk -v kinds_file="$here/kinds.tsv" "$words"'
  BEGIN { learn(kinds_file) }
  # Values that say themselves that they are none.
  function is_placeholder(s) {
    return tolower(s) ~ /example|placeholder|your[-_]|change[-_]?me|xxxx|\*\*\*\*|\.\.\.|dummy|redacted|process\.env/
  }
  NR == 1 { name = $0; next }
  NR % 2 == 0 { line = $0; next }
  {
    end = index($0, "\001")
    text = substr($0, 1, end - 1)
    if (length(text) > 20000) { text = substr(text, 1, 20000); cut++ }
    for (k = 1; k <= kinds; k++) {
      at = stands(k, text, 1)
      if (!at) continue
      if (is_placeholder(substr(text, at, RLENGTH))) { placeholders++; continue }
      all++; of_kind[k]++
      row[all] = cell(name ":" line, 120) " | " kind_name[k] " | " cell(kind_shown[k], 20) ", " RLENGTH " characters"
      rank[all] = -k * 1000000 - all
      break
    }
    name = substr($0, end + 1)
  }
  END {
    if (!all) print "Nothing that looks like a secret was found.\n"
    else {
      printf "%s a secret:", (all == 1 ? "1 line looks like" : all " lines look like")
      for (k = 1; k <= kinds; k++) if (of_kind[k]) { printf "%s %s %d", (listed++ ? "," : ""), kind_name[k], of_kind[k] }
      print ".\n\n| where | kind | masked |\n|---|---|---|"
      n = best(rank, order, 25)
      for (i = 1; i <= n; i++) print "| " row[order[i]] " |"
      if (all > n) print "\nThe other " all - n " are not listed."
      print ""
    }
    if (placeholders) print count(placeholders, "placeholder") " passed over (example, changeme, your-… and the like).\n"
    if (cut) print "Of " count(cut, "line") " only the first 20,000 bytes were read.\n"
  }'
tracked=0
! in_git || tracked=1
files | node "$here/sizes.mjs" | as_lines | awk -F '\t' "$words"'
  $1 != "file" && $1 != "binary" { next }
  {
    path = substr($0, length($1 FS $2 FS $3 FS) + 1)
    sub(/^\.\//, "", path)
    size[path] = $2; kind[path] = $1
    if ($2 > 1000000) big++
    base = path
    sub(/.*\//, "", base)
    if (base ~ /^(\.env(\..*)?|id_(rsa|dsa|ecdsa|ed25519)|\.npmrc|\.pypirc|\.netrc|credentials|.*\.(pem|key|p12|pfx|jks|keystore|kdbx))$/ &&
        base !~ /\.(example|sample|template|dist)$/) rank[path] = -++risky
  }
  END {
    n = best(rank, order, 10)
    if (n) printf "Names that often hold secrets (%d):", risky
    for (i = 1; i <= n; i++) printf "%s %s", (i == 1 ? "" : ","), cell(order[i], 100)
    if (n) print (risky > n ? ", …" : ".") "\n"
    print count(big + 0, "file") " above 1 MB. The largest:\n\n| file | size | content |\n|---|---:|---|"
    n = best(size, order, 10)
    for (i = 1; i <= n; i++) print "| " cell(order[i], 120) " | " bytes(size[order[i]]) " | " (kind[order[i]] == "binary" ? "binary" : "text") " |"
  }'
echo
echo 'Limits: a look by form, one finding a line: it misses secrets of unknown form and reports harmless ones.'
if in_git; then
  echo 'Neither the history, nor ignored files, nor binary files were searched: a secret deleted later is still in the history.'
else
  echo "Binary files were not searched. $(no_git)"
fi
