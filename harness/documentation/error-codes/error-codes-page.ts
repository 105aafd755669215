import { anchorOf, GENERATED_NOTE, table } from '../generated-file.ts';
import { readKeys, readUnion } from '../source-unions.ts';
import { AUDITOR_CODES } from './auditor-codes.ts';
import type { ErrorGroup } from './error-group.ts';
import { HARNESS_CODES } from './harness-codes.ts';
import { PRODUCT_CODES } from './product-codes.ts';

const PARTS: readonly { readonly title: string; readonly groups: readonly ErrorGroup[] }[] = [
  { title: 'The harness', groups: HARNESS_CODES },
  { title: 'The auditor', groups: AUDITOR_CODES },
  { title: 'The product', groups: PRODUCT_CODES },
];

export const ERROR_GROUPS: readonly ErrorGroup[] = PARTS.flatMap(({ groups }) => groups);

/** The codes that the source closes, in its order. */
export function codesOf({ source, codes }: ErrorGroup): readonly string[] {
  if ('union' in source) return readUnion(source.file, source.union);
  if ('keys' in source) return readKeys(source.file, source.keys);
  return Object.keys(codes);
}

export function errorCodesPage(): string {
  const contents = ERROR_GROUPS.map(({ title }) => `* [${title}](#${anchorOf(title)})`).join('\n');
  const parts = PARTS.flatMap(({ title, groups }) => [`## ${title}`, ...groups.map(groupText)]);
  return [
    '# Error codes',
    GENERATED_NOTE,
    'A program matches on the code; a person reads the message, which says what was expected, what was got and what to do. No message holds a secret.',
    contents,
    ...parts,
    '',
  ].join('\n\n').trimEnd() + '\n';
}

function groupText(group: ErrorGroup): string {
  const rows = codesOf(group).map((code) => {
    const { meaning, cure } = group.codes[code] ?? { meaning: '', cure: '' };
    return [`\`${code}\``, meaning, cure];
  });
  return `### ${group.title}\n\n${group.met}\n\n${table(['code', 'meaning', 'what to do'], rows)}`;
}
