/** What a gate or probe means, for people: one source for `explain`, the documentation and the picture. Markdown's backticks may stand in it. */
export interface Meaning {
  /** A few words, to stand beside a mark in a picture. */
  readonly title: string;
  /** What follows when it holds. One sentence. */
  readonly proves: string;
  /** What somebody might take from it and must not. One sentence. */
  readonly doesNotProve: string;
}
