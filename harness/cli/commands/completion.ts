import { defineCommand, type Command } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { PROGRAM } from '../program.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Completion knows all commands, itself too: it is given a way to them. */
export function completionOf(loadAllCommands: () => Promise<readonly Command[]>): Command {
  return defineCommand({
    name: 'completion',
    summary: 'what a shell needs to complete commands, options and their values',
    description: ['Prints a script for the shell, made from what the commands say of themselves; nothing is installed. What it completes is a command of the name `ql3-evidence`, which has to be on the PATH: `ln -s "$PWD/harness/cli/bootstrap.mjs" ~/.local/bin/ql3-evidence` in the checkout.'],
    usage: ['bash|zsh|fish [--json]'],
    examples: [
      { command: 'source <(ql3-evidence completion bash)', shows: 'for this bash; in ~/.bashrc for every one' },
      { command: 'source <(ql3-evidence completion zsh)', shows: 'for this zsh, after compinit' },
      { command: 'ql3-evidence completion fish > ~/.config/fish/completions/ql3-evidence.fish', shows: 'for every fish' },
    ],
    options: {},
    positionals: [{ name: 'SHELL', description: 'which shell', choices: SHELLS }],
    async run({ words: [shell], answer }) {
      const [{ toCompletedCommands }, { completeBash }, { completeZsh }, { completeFish }] = await Promise.all([
        import('../completion/completed-command.ts'),
        import('../completion/bash.ts'),
        import('../completion/zsh.ts'),
        import('../completion/fish.ts'),
      ]);
      const commands = toCompletedCommands(await loadAllCommands());
      const script = { bash: completeBash, zsh: completeZsh, fish: completeFish }[shell as (typeof SHELLS)[number]](PROGRAM, commands);
      answer.give({ schemaVersion: 1, shell, script }, script);
      return EXIT_CODES.held.code;
    },
  });
}
