/** At most so many characters, cut between two words, with an ellipsis where something was left out. One endless word is cut within. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf(' ', most);
  return `${text.slice(0, end > most / 2 ? end : most).trimEnd()} …`;
}
