import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The string literals of `type NAME = 'A' | 'B'` in a source file, in its order. The source is read, not imported: documentation stands outside of every boundary. */
export function readUnion(file: string, name: string): readonly string[] {
  const source = withoutComments(readFileSync(`${root}${file}`, 'utf8'));
  const [, body] = new RegExp(`type ${name} =([^;]*);`).exec(source) ?? [];
  if (body === undefined) throw new Error(`${file}: expected a type ${name}; the documentation has to be brought after the source`);
  const literals = [...body.matchAll(/'([^']+)'/g)].map(([, literal]) => literal as string);
  if (literals.length === 0) throw new Error(`${file}: expected string literals in the type ${name}`);
  return literals;
}

/** The keys of `const NAME = { A: …, B: … }`. */
export function readKeys(file: string, name: string): readonly string[] {
  const source = withoutComments(readFileSync(`${root}${file}`, 'utf8'));
  const [, body] = new RegExp(`const ${name}[^=]*= \\{\n([^]*?)\n\\}`).exec(source) ?? [];
  if (body === undefined) throw new Error(`${file}: expected an object ${name}; the documentation has to be brought after the source`);
  return [...body.matchAll(/^ {2}'?(\w+)'?:/gm)].map(([, key]) => key as string);
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[^]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
