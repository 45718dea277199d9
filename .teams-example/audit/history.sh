#!/bin/sh
# Prints "## Hot files": the files that the last commits touched most, by how many people, and when last.
set -eu
. "$TEAMS_PLAN_DIR/audit/lib.sh"
most=1000

echo '## Hot files'
echo
in_git || { echo "No history: $(no_git | sed 's/^T/t/')"; exit 0; }
has_commits || { echo 'No history: the repository has no commits yet.'; exit 0; }
# The first commits of a shallow clone seem to add every file: they tell nothing.
shallow=0
edge=
if is_shallow; then
  shallow=1
  edge=$(cat "$(git rev-parse --git-path shallow)")
fi

# Three kinds of records: F a file there is now, \002 a commit, and after it one line a file changed.
{
  git ls-files -z -- . | as_lines | sed 's/^/F/'
  # shellcheck disable=SC2086 # object names, to be split
  git log -z -n "$most" --no-merges --no-renames --no-ext-diff --no-textconv --no-color --numstat --relative \
    --format='%x02%ct%x09%aE%x09%aN' HEAD --not $edge -- . | as_lines
} | awk -F '\t' -v most="$most" -v shallow="$shallow" "$words"'
  sub(/^F/, "") { there[$0] = 1; next }
  sub(/^\002/, "") {
    commits++; at = $1 + 0; who = $2
    people[who]++; person_name[who] = person($3)
    if (commits == 1 || at < oldest) oldest = at
    if (commits == 1 || at > newest) newest = at
    next
  }
  {
    sub(/^\001/, "")
    path = substr($0, length($1 FS $2 FS) + 1)
    if (path == "") next
    if (!(path in there)) { if (!(path in gone)) { gone[path] = 1; vanished++ }; next }
    touched[path]++; changed[path] += $1 + $2
    if (!((path, who) in hands)) { hands[path, who] = 1; authors[path]++ }
    if (at > last[path]) last[path] = at
  }
  END {
    for (who in people) everybody++
    if (!commits) {
      print "No commit to read" (shallow ? ": the clone is shallow, its history is not here." : " that touches this folder.")
      exit
    }
    printf "%s by %s, %s to %s", count(commits, "commit"), count(everybody, "author"), day(oldest), day(newest)
    n = best(touched, order, 15)
    if (!n) { print "; none of their files is left." ; exit }
    printf "; the hottest file is %s, touched %s.\n\n", cell(order[1], 100), count(touched[order[1]], "time")
    print "| file | commits | lines changed | authors | last change |\n|---|---:|---:|---:|---|"
    for (i = 1; i <= n; i++) {
      path = order[i]
      print "| " cell(path, 120) " | " touched[path] " | " changed[path] " | " authors[path] " | " day(last[path]) " |"
    }
    n = best(people, order, 5)
    printf "\nMost commits:"
    for (i = 1; i <= n; i++) printf "%s %s (%d)", (i == 1 ? "" : ","), person_name[order[i]], people[order[i]]
    print "."
    print "\nLimits: merges are left out, a renamed file starts anew."
    if (commits == most) print "Only the last " most " commits were read."
    if (shallow) print "The clone is shallow: older history is not here."
    if (vanished) print "Not listed, because they are gone: " count(vanished, "touched file") "."
  }'
