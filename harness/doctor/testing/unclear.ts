/** What was found stands in a row of its own: a reader of that row alone does not know what this speaks of. */
export const UNCLEAR = /^(it|they)\b/i;
