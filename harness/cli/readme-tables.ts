import { ENVIRONMENT } from './environment.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { loadAllCommands } from './registry.ts';

/** The tables of README.md that follow from the code, each between the comments that name it. `node harness/cli/write-readme.ts` writes them anew. */
export async function readmeTables(): Promise<Readonly<Record<string, string>>> {
  const commands = await loadAllCommands();
  return {
    commands: table('command', 'what it does', commands.map(({ name, summary }) => [`[\`${name}\`](docs/commands.md#${name})`, summary])),
    'exit-codes': table('exit code', 'meaning', [...Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning] as const), ['130, 143', 'interrupted: the process ends by the signal that it got']]),
    environment: table('variable', 'meaning', Object.entries(ENVIRONMENT)),
  };
}

export function sectionOf(readme: string, name: string): string | null {
  return patternOf(name).exec(readme)?.[2] ?? null;
}

export function withSection(readme: string, name: string, content: string): string {
  return readme.replace(patternOf(name), (_, begin: string, __, end: string) => `${begin}${content}${end}`);
}

function patternOf(name: string): RegExp {
  return new RegExp(`(<!-- ${name}: generated -->\n)([^]*?)(\n<!-- ${name}: end -->)`);
}

function table(first: string, second: string, rows: readonly (readonly [string, string])[]): string {
  return [`| ${first} | ${second} |`, '|---|---|', ...rows.map(([left, right]) => `| ${left} | ${right} |`)].join('\n');
}
