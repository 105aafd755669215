/** As wide as most terminals that do not say how wide they are. */
const USUAL = 80;
/** Narrower, a word a line would be left. */
const LEAST = 40;

/** How wide a screen is; null where it is none, and lines stay whole for the programs that read them. */
export function columnsOf({ isTTY, columns }: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined }): number | null {
  if (isTTY !== true) return null;
  return Math.max(LEAST, columns !== undefined && columns > 0 ? columns : USUAL);
}

/** What is to be read in a page or more: narrower it is no text any more, wider the eye loses the line. */
const [LEAST_OF_TEXT, MOST_OF_TEXT] = [60, 110];

/** How long the lines of a longer text are on a screen of so many columns; where there is none, as always. */
export function textWidth(columns: number | null, usual: number): number {
  return columns === null ? usual : Math.min(MOST_OF_TEXT, Math.max(LEAST_OF_TEXT, columns));
}
