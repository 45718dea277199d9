# The table of marked work, from three kinds of tab-separated lines: N a file whose marks are dated next, T the time of one
# of its lines (0: not committed) and whether that is only the edge of a shallow clone, M a mark. Needs words.awk before it.

BEGIN { learn(kinds_file) }
$1 == "N" { name = $2; next }
$1 == "T" { time[name, $3] = $2; edge[name, $3] = $4 && shallow; next }
NF < 5 { next }
{
  all++; words_seen[$4]++
  if (!($2 in file)) { file[$2] = 1; files++ }
  key = $2 SUBSEP $3
  is_dated = (key in time) && time[key] > 0
  if (is_dated) dated++
  else if (key in time) fresh++
  # Oldest first; what has no date comes last, in the order found.
  rank[all] = is_dated ? now - time[key] : -all
  when[all] = is_dated ? (edge[key] ? "before " : "") day(time[key]) " | " (edge[key] ? "> " : "") age(now - time[key]) : (key in time) ? "not committed | " : " | "
  where[all] = cell($2 ":" $3, 120)
  text[all] = cell(masked($5), 120)
  if (is_dated && now - time[key] > oldest) { oldest = now - time[key]; least = edge[key] ? "at least " : "" }
}
END {
  if (!all) { print "No TODO, FIXME, XXX or HACK."; exit }
  printf "%s in %s (", count(all, "mark"), count(files, "file")
  n = best(words_seen, order, 4)
  for (i = 1; i <= n; i++) printf "%s%d %s", (i == 1 ? "" : ", "), words_seen[order[i]], order[i]
  printf ")%s.", (dated ? "; the oldest is " least age(oldest) " old" : "")
  print "\n\n| where | since | age | text |\n|---|---|---:|---|"
  n = best(rank, order, 20)
  for (i = 1; i <= n; i++) print "| " where[order[i]] " | " when[order[i]] " | " text[order[i]] " |"
  if (all > n) print "\nThe other " all - n " are not listed."
  print "\nLimits: age is that of the last commit of the line, so reformatting makes a mark young; a word counts in code and prose alike."
  if (fresh) print count(fresh, "mark") " not committed yet."
  if (all > dated + fresh) print count(all - dated - fresh, "mark") " without a date (no history, an untracked file, or beyond the caps)."
  if (shallow) print "The clone is shallow: \"before\" means older than what is here."
}
