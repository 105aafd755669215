/** As wide as most terminals that do not say how wide they are. */
const USUAL = 80;
/** Narrower, a word a line would be left. */
const LEAST = 40;

/** How wide a screen is; null where it is none, and lines stay whole for the programs that read them. */
export function columnsOf({ isTTY, columns }: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined }): number | null {
  if (isTTY !== true) return null;
  return Math.max(LEAST, columns !== undefined && columns > 0 ? columns : USUAL);
}
