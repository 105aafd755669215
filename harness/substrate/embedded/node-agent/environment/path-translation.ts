export interface PathMapping {
  /** As a container names it, e.g. a mount path. */
  readonly containerPath: string;
  readonly hostPath: string;
}

/**
 * Containers have no mount namespace here: where a command, an argument or an environment value names a mounted
 * path or a path of the image, the folder that stands for it is put in its place.
 */
export class PathTranslation {
  readonly #hostPaths: ReadonlyMap<string, string>;
  readonly #pattern: RegExp | null;

  constructor(mappings: readonly PathMapping[]) {
    const usable = mappings.map(({ containerPath, hostPath }) => ({ containerPath: withoutTrailingSlash(containerPath), hostPath }));
    const longestFirst = usable.filter(({ containerPath }) => containerPath !== '').toSorted((a, b) => b.containerPath.length - a.containerPath.length);
    this.#hostPaths = new Map(longestFirst.toReversed().map(({ containerPath, hostPath }) => [containerPath, hostPath]));
    const alternatives = longestFirst.map(({ containerPath }) => RegExp.escape(containerPath));
    // A path begins where no other path or word goes on, and ends at a separator.
    this.#pattern = alternatives.length === 0 ? null : new RegExp(`(?<=^|[^\\w.~%/-]|file://)(?:${alternatives.join('|')})(?![\\w.~%-])`, 'g');
  }

  translate(text: string): string {
    if (this.#pattern === null) return text;
    return text.replace(this.#pattern, (containerPath) => this.#hostPaths.get(containerPath) ?? containerPath);
  }
}

function withoutTrailingSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
