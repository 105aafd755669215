/** What a code means to whoever reads it, and what they do. Markdown. */
export interface ErrorMeaning {
  readonly meaning: string;
  readonly cure: string;
}

/** The codes of one closed set, as the source has it. */
export interface ErrorGroup {
  readonly title: string;
  /** Where and how such a code is met. */
  readonly met: string;
  /** The type, or object, of the source that closes the set. */
  readonly source: { readonly file: string; readonly union: string } | { readonly file: string; readonly keys: string } | { readonly file: string; readonly only: readonly string[] };
  readonly codes: Readonly<Record<string, ErrorMeaning>>;
}
