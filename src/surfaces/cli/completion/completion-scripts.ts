/**
 * The scripts that a shell loads for completion. Each asks `teams complete -- WORD…` at a TAB, with the words as they
 * are: nothing that was typed is ever evaluated. Loading one twice is silent, and none needs another package.
 */

const BASH = `# completion of teams for bash: eval "$(teams completion bash)"
_teams_complete() {
  local value rest kind=none word path line=$COMP_LINE before=
  local -a words=()
  local -i at last
  # Bash divides words at a colon; those that touch are one word of the line.
  for ((at = 0; at <= COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    last=\${#words[@]}-1
    if ((at > 1)) && [[ $line != [[:blank:]]* && ($word == :* || \${words[last]} == *:) ]]; then
      words[last]+=$word
    else
      words+=("$word")
    fi
    line=\${line#*"$word"}
  done
  local cur=\${words[\${#words[@]}-1]}
  [[ $cur == "\${COMP_WORDS[COMP_CWORD]}" ]] || before=\${cur%"\${cur##*:}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r value rest; do
    case $value in
      :files | :dirs) kind=\${value#:} ;;
      :none) ;;
      "$cur"*) COMPREPLY+=("\${value#"$before"}") ;;
    esac
  done < <(command teams complete -- "\${words[@]:1}" 2>/dev/null)
  case $kind in
    files) kind=-f ;;
    dirs) kind=-d ;;
    *)
      # The value of a limit follows at once.
      [[ \${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2>/dev/null
      return
      ;;
  esac
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    # Bash looks for a folder by the name that it is given.
    [[ -n $before && -d $path ]] && path+=/ && compopt -o nospace 2>/dev/null
    COMPREPLY+=("\${path#"$before"}")
  done < <(compgen "$kind" -- "$cur")
}
complete -F _teams_complete teams
`;

const ZSH = `#compdef teams
# completion of teams for zsh: eval "$(teams completion zsh)"
_teams() {
  local line value kind=none
  local -a values starts
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    case $value in
      :files | :dirs) kind=\${value#:} ;;
      :none) ;;
      *=) starts+=("$value") ;;
      *) values+=("\${value//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <(command teams complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  local -i found=1
  (( \${#values} )) && _describe -V teams values && found=0
  # The value of a limit follows at once.
  (( \${#starts} )) && compadd -S '' -- $starts && found=0
  case $kind in
    files) _files && found=0 ;;
    dirs) _files -/ && found=0 ;;
  esac
  return found
}
if [[ \${funcstack[1]:-} == _teams ]]; then
  _teams "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
  compdef _teams teams
fi
`;

const FISH = `# completion of teams for fish: teams completion fish | source
function __teams_complete
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -e words[1]
    for line in (command teams complete -- $words "$cur" 2>/dev/null)
        switch $line
            case ':files'
                # As fish completes the word of a command that it knows nothing of.
                complete -C "'' $cur"
            case ':dirs'
                __fish_complete_directories "$cur" ''
            case ':none'
            case '*'
                echo $line
        end
    end
end
complete -c teams -e
complete -c teams -f -a '(__teams_complete)'
`;

export const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ['bash', BASH],
  ['zsh', ZSH],
  ['fish', FISH],
]);
