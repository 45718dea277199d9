# Sourced by the auditors: which files are looked at, and how their names travel. Reads only; writes nothing.
#
# Names travel between NULs. For awk, which knows lines only, `as_lines` turns each NUL into a newline and each newline
# inside a name into \001; `cell` in words.awk shows that as a question mark.

# Bytes, not characters: the same answer in every locale. No fetch, no question, no program named by a repository.
export LC_ALL=C GIT_NO_LAZY_FETCH=1 GIT_TERMINAL_PROMPT=0
git() {
  command git -c core.fsmonitor=false -c log.showSignature=false -c blame.ignoreRevsFile= -c grep.fullName=false "$@"
}

here=$TEAMS_PLAN_DIR/audit
words=$(cat "$here/words.awk")
unset CDPATH

in_git() { [ "$(git rev-parse --is-inside-work-tree 2>/dev/null)" = true ]; }
has_commits() { git rev-parse --quiet --verify HEAD >/dev/null 2>&1; }
is_shallow() { [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = true ]; }

# Why there is no git here, in one sentence: usually there is no repository, sometimes git refuses its owner.
no_git() {
  case $(git rev-parse --is-inside-work-tree 2>&1 || :) in
    *dubious*) echo 'git refuses this repository, because another user owns it (see `safe.directory`).' ;;
    *) echo 'This folder is not the working tree of a git repository.' ;;
  esac
}

# The files under the current folder, between NULs: tracked and untracked in git, but not what git ignores; outside git
# whatever `find` finds. Never node_modules, our own folders, or the report itself.
files() {
  if in_git; then
    git ls-files -z --cached --others --exclude-standard -- . ':(exclude,glob)**/node_modules/**' \
      ':(exclude,glob)**/.teams/**' ':(exclude,glob)**/.tasks/**' ':(exclude)AUDIT.md'
  else
    find . \( -name node_modules -o -name .git -o -name .teams -o -name .tasks \) -prune -o \
      \( -type f -o -type l \) ! -path ./AUDIT.md -print0
  fi
}

as_lines() { tr '\n\000' '\001\n'; }

# Lines of the same files that match the extended regular expressions given as options of grep, in three records each:
# the name, the line's number, its text followed by \001 and the next name. Binary files are left out.
matches() {
  where=--untracked
  in_git || where=--no-index
  git grep "$where" --no-recurse-submodules --no-color --no-column -I -n -z -E "$@" -- . \
    ':(exclude,glob)**/node_modules/**' ':(exclude,glob)**/.teams/**' ':(exclude,glob)**/.tasks/**' \
    ':(exclude)AUDIT.md' | as_lines
}
