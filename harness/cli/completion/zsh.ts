import type { OptionData } from '../command.ts';
import { quoted, type CompletedCommand } from './completed-command.ts';

/** For zsh's own completion system; may be sourced, or lie in a folder of $fpath as _ql3-evidence. */
export function completeZsh(program: string, commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options, positionals }) => {
    const specs = [
      ...options.map(([option, data]) => optionSpec(option, data)),
      ...positionals.map(({ name: word, optional = false, ...rest }, index) => quoted(`${index + 1}${optional ? '::' : ':'}${escaped(word)}:${action(rest)}`)),
    ];
    return `    ${name}) _arguments ${specs.join(' ')} ;;`;
  });
  return `#compdef ${program}
# zsh completion of ${program}: source <(${program} completion zsh)
_${program}() {
  local -a commands
  commands=(${commands.map(({ name, summary }) => quoted(`${name}:${summary.replaceAll(':', String.raw`\:`)}`)).join(' ')})
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $command in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _${program} ]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

function optionSpec(name: string, option: OptionData): string {
  const { value, description, isRepeatable } = option;
  if (name === 'help') return `'(-h --help)'{-h,--help}${quoted(`[${escaped(description)}]`)}`;
  return quoted(`${isRepeatable === true ? '*' : ''}--${name}${value === undefined ? '' : '='}[${escaped(description)}]${value === undefined ? '' : `:${escaped(value)}:${action(option)}`}`);
}

function action({ choices, completes }: Pick<OptionData, 'choices' | 'completes'>): string {
  if (choices !== undefined) return `(${choices.join(' ')})`;
  return completes === undefined ? ' ' : completes === 'file' ? '_files' : '_files -/';
}

/** Brackets and colons part a specification (zshcompsys, _arguments). */
function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, String.raw`\$&`);
}
