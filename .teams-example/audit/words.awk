# Functions put in front of the auditors' awk programs. POSIX awk: no intervals (mawk lacks them), no strftime.

# The first n bytes of s, never half a character.
function clip(s, n) {
  if (length(s) <= n) return s
  s = substr(s, 1, n)
  sub(/[\300-\377]?[\200-\277]*$/, "", s)
  return s "…"
}

# s as one inert table cell: foreign text can end neither the code span, nor the row, nor the line.
function cell(s, n) {
  gsub(/[\001-\037\177]/, "?", s)
  gsub(/`/, "'", s)
  s = clip(s, n)
  gsub(/\|/, "\\|", s)
  return s == "" ? "" : "`" s "`"
}

# A person's name: text, with what Markdown would act on taken out.
function person(s) {
  gsub(/[^-A-Za-z0-9 .'\200-\377]/, " ", s)
  gsub(/ +/, " ", s)
  sub(/ $/, "", s)
  return clip(s, 40)
}

function bytes(n) {
  if (n < 1000) return n " B"
  if (n < 1000000) return sprintf("%.1f kB", n / 1000)
  if (n < 1000000000) return sprintf("%.1f MB", n / 1000000)
  return sprintf("%.2f GB", n / 1000000000)
}

function count(n, noun) { return n " " noun (n == 1 ? "" : "s") }

# The day of a Unix time as YYYY-MM-DD, UTC (H. Hinnant, "chrono-compatible low-level date algorithms").
function day(seconds,   z, era, doe, yoe, doy, mp, d, m) {
  z = int(seconds / 86400) + 719468
  era = int(z / 146097)
  doe = z - era * 146097
  yoe = int((doe - int(doe / 1460) + int(doe / 36524) - int(doe / 146096)) / 365)
  doy = doe - (365 * yoe + int(yoe / 4) - int(yoe / 100))
  mp = int((5 * doy + 2) / 153)
  d = doy - int((153 * mp + 2) / 5) + 1
  m = mp < 10 ? mp + 3 : mp - 9
  return sprintf("%04d-%02d-%02d", yoe + era * 400 + (m <= 2), m, d)
}

function age(seconds,   days) {
  days = int(seconds / 86400)
  if (days < 60) return count(days < 0 ? 0 : days, "day")
  if (days < 730) return int(days / 30.44) " months"
  return sprintf("%.1f years", days / 365.25)
}

# Puts numbers[1..n] into order[1..n], greatest value first, equal values by name. Insertion into the best `top` only.
function best(value, order, top,   name, n, i) {
  n = 0
  for (name in value) {
    if (n == top && !before(value, name, order[n])) continue
    if (n < top) n++
    for (i = n; i > 1 && before(value, name, order[i - 1]); i--) order[i] = order[i - 1]
    order[i] = name
  }
  return n
}
function before(value, a, b) { return value[a] > value[b] || (value[a] == value[b] && a < b) }

# The forms of kinds.tsv, for `stands` and `masked`.
function learn(path,   row, part) {
  while ((getline row < path) > 0) {
    if (row ~ /^#/ || split(row, part, "\t") != 4) continue
    kinds++
    kind_name[kinds] = part[1]; kind_shown[kinds] = part[2]; kind_least[kinds] = part[3]; kind_form[kinds] = part[4]
  }
  close(path)
}
# Where kind k stands in s at or after byte `from`: 0, or its place, with RLENGTH set. Not inside a longer word.
function stands(k, s, from,   at, skipped, before_it) {
  while (match(substr(s, from), kind_form[k])) {
    at = from + RSTART - 1
    before_it = at > 1 ? substr(s, at - 1, 1) : ""
    if (RLENGTH >= kind_least[k] && before_it !~ /[A-Za-z0-9]/) return at
    from = at + RLENGTH
  }
  return 0
}
# s with what looks like a secret replaced by its kind.
function masked(s,   k, at) {
  for (k = 1; k <= kinds; k++)
    while ((at = stands(k, s, 1)) > 0) s = substr(s, 1, at - 1) "‹" kind_name[k] "›" substr(s, at + RLENGTH)
  return s
}
