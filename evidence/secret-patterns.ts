/** What a secret of this domain looks like wherever it turns up; used by the log's writer and by the auditor. */
const SECRET_PATTERNS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'a private key in PEM', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
  { name: 'a Worker credential token', pattern: /ql3w_[A-Za-z0-9._:-]{1,64}_[A-Za-z0-9_-]{43}/ },
  { name: 'a JSON Web Token', pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/ },
  // the scheme is looked for behind what follows it: every word might begin one, and megabytes are searched
  { name: 'a URL with a password', pattern: /(?<=[a-z][a-z0-9+.-]{1,20}):\/\/[^\s/?#@"']{0,256}:[^\s/?#@"']{1,256}@/i },
];

/** The kind of secret that the text holds, or null. Never the secret. */
export function secretIn(text: string): string | null {
  return SECRET_PATTERNS.find(({ pattern }) => pattern.test(text))?.name ?? null;
}
