const PEM_LINE_LENGTH = 64;

/** Secrets of one run, and the question whether a text gives one away in any of the usual encodings. */
export class KnownSecrets {
  readonly #needles = new Map<string, string>();

  add(name: string, secret: Buffer): void {
    const text = secret.toString('latin1');
    if (text.includes('PRIVATE KEY')) {
      for (const line of text.split('\n').filter((candidate) => candidate.length === PEM_LINE_LENGTH).slice(1)) this.#needles.set(line, name);
      return;
    }
    if (text.includes('CERTIFICATE') || text.includes('X509 CRL')) return;
    if (/^[\x20-\x7e]+$/.test(text)) for (const needle of [text, encodeURIComponent(text)]) this.#needles.set(needle, name);
    for (const needle of [secret.toString('hex'), secret.toString('hex').toUpperCase(), ...base64Anywhere(secret)]) {
      this.#needles.set(needle, name);
      this.#needles.set(needle.replaceAll('+', '-').replaceAll('/', '_'), name);
      this.#needles.set(encodeURIComponent(needle), name);
    }
  }

  get size(): number {
    return this.#needles.size;
  }

  /** The names of the secrets that the content holds. */
  heldBy(content: Buffer): readonly string[] {
    const text = content.toString('latin1');
    return [...new Set([...this.#needles].filter(([needle]) => text.includes(needle)).map(([, name]) => name))];
  }
}

/** How the bytes look inside of a longer Base64 text, wherever in it they begin; characters that depend on the neighbours are left out. */
function base64Anywhere(secret: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), secret]).toString('base64').replace(/=+$/, '');
    return encoded.slice(offset === 0 ? 0 : offset + 1, (secret.length + offset) % 3 === 0 ? undefined : -1);
  });
}
