#!/bin/sh
# Prints "## Marked work": TODO, FIXME, XXX and HACK as whole capital words, with their age from `git blame`, oldest first.
set -eu
. "$TEAMS_PLAN_DIR/audit/lib.sh"
most=300    # marks that are dated
seconds=45  # after which no further file is dated

# Shows one mark a line: name TAB line TAB word TAB text, in the order of the files; in names \001 stands for a newline
# and \002 for a tab.
marks() {
  matches -e '(^|[^A-Za-z0-9_])(TODO|FIXME|XXX|HACK)([^A-Za-z0-9_]|$)' | awk -v OFS='\t' '
    NR == 1 { name = $0; gsub(/\t/, "\002", name); next }
    NR % 2 == 0 { line = $0; next }
    {
      end = index($0, "\001")
      text = substr($0, 1, end - 1)
      gsub(/\t/, " ", text)
      match(" " text " ", /[^A-Za-z0-9_](TODO|FIXME|XXX|HACK)[^A-Za-z0-9_]/)
      word = substr(" " text " ", RSTART + 1, RLENGTH - 2)
      print name, line, word, substr(text, RSTART, 2000)
      name = substr($0, end + 1)
      gsub(/\t/, "\002", name)
    }'
}

# Adds the time at which each line was committed: T TAB time TAB line for the marks of one file (0: not committed).
blame() {
  name=$1
  shift
  git blame --porcelain "$@" -- "$name" 2>/dev/null </dev/null | awk '
    /^[0-9a-f]+ [0-9]+ [0-9]+/ && length($1) >= 40 { commit = $1; line = $3 }
    /^committer-time / { time[commit] = $2 }
    /^boundary$/ { edge[commit] = 1 }
    /^\t/ { print "T\t" (commit ~ /^0+$/ ? 0 : time[commit]) "\t" line "\t" edge[commit] + 0 }'
}

# Each name with the -L options of its marks, handed to `blame` until the time is up; before them N TAB name.
dated() {
  until=$(($(date +%s) + seconds))
  head -n "$most" | awk -F '\t' '
    $1 != name { if (NR > 1) print name "\t" lines; name = $1; lines = "" }
    { lines = lines " -L" $2 "," $2 }
    END { if (NR) print name "\t" lines }' | while IFS='	' read -r name lines; do
    [ "$(date +%s)" -lt "$until" ] || break
    printf 'N\t%s\n' "$name"
    # shellcheck disable=SC2086 # the options are numbers, to be split
    blame "$(printf '%s' "$name" | tr '\001\002' '\n\t')" $lines
  done
}

echo '## Marked work'
echo
found=$(marks)
shallow=0
! is_shallow || shallow=1
{
  ! { in_git && has_commits; } || printf '%s\n' "$found" | dated
  printf '%s\n' "$found" | sed 's/^/M\t/'
} | awk -F '\t' -v now="$(date +%s)" -v kinds_file="$here/kinds.tsv" -v shallow="$shallow" "$words
$(cat "$here/marks.awk")"
