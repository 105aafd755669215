/** An environment variable of a program, below a prefix: what people are told about it. */
export interface VariableRow {
  readonly name: string;
  readonly meaning: string;
  /** `required`, or the default, or `optional`, or when it is needed. */
  readonly need: string;
}

export interface ProgramHelp {
  /** What the program is, how it is called, and what its exit codes mean. */
  readonly summary: string;
  readonly variables: readonly { readonly prefix: string; readonly rows: readonly VariableRow[] }[];
  /** What it expects of files, and what else it needs. */
  readonly needs: readonly string[];
}

/** The answer to `--help`: everything that a program needs before it can start, in the order in which somebody would provide it. */
export function programHelp({ summary, variables, needs }: ProgramHelp): string {
  const rows = variables.flatMap(({ prefix, rows: below }) => below.map(({ name, meaning, need }) => `  ${prefix}${name}\n      ${plain(meaning === '' ? need : `${meaning} (${need})`)}.`));
  return `${summary}\n\nNeeds:\n${needs.map((need) => `  ${need}`).join('\n')}\n\nEnvironment:\n${rows.join('\n')}\n`;
}

/** The same words stand in a Markdown table. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}
