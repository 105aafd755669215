/** The programs of one image, each with one line of what it is; the first is started when none is named. */
export type Programs = Readonly<Record<string, string>>;

export interface ChosenProgram {
  readonly name: string;
  readonly args: readonly string[];
  /** To be printed before the program starts. */
  readonly preface: string;
}

/**
 * Which program of an image a command line means: `docker run IMAGE PROGRAM …`, with the program by its name or by its path in the
 * image, or without one the image's own. `--help` alone tells of all of them first.
 */
export function chooseProgram(title: string, programs: Programs, [first = '', ...rest]: readonly string[]): ChosenProgram {
  const [own = ''] = Object.keys(programs);
  const named = /^(?:\/app\/)?([a-z]+)(?:\.mjs)?$/.exec(first)?.[1] ?? '';
  if (Object.hasOwn(programs, named)) return { name: named, args: rest, preface: '' };
  return { name: own, args: first === '' ? rest : [first, ...rest], preface: first === '--help' ? describe(title, programs, own) : '' };
}

function describe(title: string, programs: Programs, own: string): string {
  const width = Math.max(...Object.keys(programs).map((name) => name.length));
  const rows = Object.entries(programs).map(([name, line]) => `  ${name.padEnd(width)}  ${line}`);
  return `${title}\n\nPrograms of this image, each with a --help of its own (docker run IMAGE PROGRAM --help); without a name ${own} is started:\n${rows.join('\n')}\n\n`;
}
