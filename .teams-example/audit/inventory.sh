#!/bin/sh
# Prints "## Inventory": the files under the current folder by language, with lines and sizes, and the largest folders.
set -eu
. "$TEAMS_PLAN_DIR/audit/lib.sh"

echo '## Inventory'
echo
files | node "$here/sizes.mjs" | as_lines | awk -F '\t' -v languages="$here/languages.tsv" "$words"'
  BEGIN {
    while ((getline row < languages) > 0) { split(row, part, "\t"); language[part[1]] = part[2] }
  }
  # The language of a text file, by its whole name, then by its extension.
  function language_of(path,   base, ext) {
    base = path
    sub(/.*\//, "", base)
    if (base in language) return language[base]
    if (base !~ /.\./) return "no extension"
    ext = base
    sub(/.*\./, "", ext)
    ext = tolower(ext)
    if (("." ext) in language) return language["." ext]
    return cell("." ext, 20)
  }
  $1 != "file" && $1 != "binary" { others[$1]++; next }
  {
    path = substr($0, length($1 FS $2 FS $3 FS) + 1)
    group = $1 == "binary" ? "binary" : language_of(path)
    top = path
    sub(/^\.\//, "", top)
    top = index(top, "/") ? substr(top, 1, index(top, "/")) : "(top level)"
    files[group]++; size[group] += $2; folder_files[top]++; folder_size[top] += $2
    if ($3 < 0) uncounted++; else { lines[group] += $3; all_lines += $3 }
    all_files++; all_size += $2
  }
  END {
    groups = 0
    for (group in files) groups++
    printf "%s, %s of text, %s in %s.\n\n", count(all_files, "file"), count(all_lines + 0, "line"), bytes(all_size + 0), count(groups, "kind")
    if (all_files) {
      print "| language | files | lines | size | share |\n|---|---:|---:|---:|---:|"
      n = best(size, order, 15)
      for (i = 1; i <= n; i++) {
        group = order[i]
        printf "| %s | %d | %d | %s | %.1f %% |\n", group, files[group], lines[group], bytes(size[group]), (all_size ? 100 * size[group] / all_size : 0)
      }
      if (groups > n) printf "\n%s left out, the smallest.\n", count(groups - n, "more kind")
      print "\n| folder | files | size |\n|---|---:|---:|"
      n = best(folder_size, order, 8)
      for (i = 1; i <= n; i++) print "| " cell(order[i], 100) " | " folder_files[order[i]] " | " bytes(folder_size[order[i]]) " |"
    }
    print "\nLimits: the language is told by the name alone; lines are newlines, comments and blanks included."
    if (uncounted) print "Lines of " count(uncounted, "file") " were not counted (over 16 MB, or the time was up)."
    if (others["link"]) print count(others["link"], "symbolic link") " not followed."
    if (others["folder"]) print count(others["folder"], "submodule or nested repository") " not looked into."
    if (others["gone"]) print count(others["gone"], "tracked file") " missing or unreadable on disk."
    if (others["special"]) print count(others["special"], "special file") " not opened."
  }'
in_git || no_git
