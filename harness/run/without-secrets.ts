import { secretIn } from '../../evidence/secret-patterns.ts';

const PEM_END = /-----END [A-Z ]*PRIVATE KEY-----/;

/**
 * Line by line, since one line with a secret takes nothing away from the others: one that holds one of the secrets, or what looks
 * like a secret of this domain, is left out, and that it was is said in its place. A key in PEM goes over many.
 */
export function withoutSecrets(text: string, secrets: readonly string[] = []): string {
  let isInKey = false;
  return text
    .split('\n')
    .map((line) => {
      const kind = isInKey ? 'a private key in PEM' : (secretIn(line) ?? (secrets.some((secret) => secret !== '' && line.includes(secret)) ? 'a password' : null));
      isInKey = kind === 'a private key in PEM' && !PEM_END.test(line);
      return kind === null ? line : `(a line with ${kind} was left out)`;
    })
    .join('\n');
}
