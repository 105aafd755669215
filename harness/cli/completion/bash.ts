import type { CompletedCommand } from './completed-command.ts';

/** For bash 3.2 and newer, without the package bash-completion. Names and choices hold nothing that a shell would read. */
export function completeBash(program: string, commands: readonly CompletedCommand[]): string {
  const cases = commands.flatMap(({ name, options, positionals }) => [
    `    ${name}:${positionals.length === 0 ? `|${name}:WORD` : ''}) words=${quote(options.map(([option, { value }]) => `--${option}${value === undefined ? '' : '='}`))} ;;`,
    ...options.flatMap(([option, { value, choices, completes }]) => (value === undefined ? [] : [`    ${name}:--${option}) ${offer(choices, completes)} ;;`])),
    ...positionals.slice(0, 1).map(({ choices, completes }) => `    ${name}:WORD) ${offer(choices, completes)} ;;`),
  ]);
  const names = commands.map(({ name }) => name);
  return `# bash completion of ${program}: source <(${program} completion bash)
_ql3_evidence() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command= option= prefix= words= kind= word i given=' '
  for ((i = 1; i < COMP_CWORD; i += 1)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${offeredAgain(commands)}) ;;
      -*) given="$given\${word%%=*} " ;;
      *) [ -n "$command" ] || command="$word" ;;
    esac
  done
  # bash splits at "=", unless its user has told it not to
  case "$current" in
    =) option="$before" current= ;;
    --*=*) option="\${current%%=*}" prefix="\${current%%=*}=" current="\${current#*=}" ;;
    *) [ "$before" != = ] || option="\${COMP_WORDS[COMP_CWORD-2]}" ;;
  esac
  COMPREPLY=()
  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W ${quote([...names, '--help', '--version'])} -- "$current"))
    return
  fi
  if [ -z "$option" ]; then
    case "$current" in
      -*) ;;
      *) option=WORD ;;
    esac
  fi
  case "$command:$option" in
${cases.join('\n')}
  esac
  if [ "$kind" = file ] || [ "$kind" = folder ]; then
    local IFS=$'\\n'
    if [ "$kind" = file ]; then COMPREPLY=($(compgen -P "$prefix" -f -- "$current")); else COMPREPLY=($(compgen -P "$prefix" -d -- "$current")); fi
    compopt -o filenames 2>/dev/null
  elif [ "\${option#--}" != "$option" ]; then
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$current"))
  else
    for word in $(compgen -W "$words" -- "$current"); do
      case "$given" in
        *" \${word%=} "*) ;;
        *) COMPREPLY+=("$word") ;;
      esac
    done
    case "\${COMPREPLY[*]}" in
      *=) [ "\${#COMPREPLY[@]}" != 1 ] || compopt -o nospace 2>/dev/null ;;
    esac
  fi
}
complete -F _ql3_evidence ${program}
`;
}

/** What may be given more than once, as patterns. */
function offeredAgain(commands: readonly CompletedCommand[]): string {
  const names = commands.flatMap(({ options }) => options.flatMap(([name, { isRepeatable }]) => (isRepeatable === true ? [`--${name}|--${name}=*`] : [])));
  return [...new Set(names)].join('|');
}

function offer(choices: readonly string[] | undefined, completes: 'file' | 'folder' | undefined): string {
  if (choices !== undefined) return `words=${quote(choices)}`;
  return completes === undefined ? ':' : `kind=${completes}`;
}

function quote(words: readonly string[]): string {
  return `'${words.join(' ')}'`;
}
