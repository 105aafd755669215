import { pathKey, pathOfKey, type FieldSet } from './field-path.ts';

type Tree = { [segment: string]: Tree };

const ITSELF = '.';

/** FieldsV1, the tree of managedFields, as a set of paths. */
export function fromFieldsV1(fields: Record<string, unknown> | undefined): FieldSet {
  const paths: FieldSet = new Set();
  const visit = (tree: Tree, path: readonly string[]): void => {
    const segments = Object.keys(tree);
    if (path.length > 0 && (segments.length === 0 || segments.includes(ITSELF))) paths.add(pathKey(path));
    for (const segment of segments) if (segment !== ITSELF) visit(tree[segment] as Tree, [...path, segment]);
  };
  visit((fields ?? {}) as Tree, []);
  return paths;
}

export function toFieldsV1(paths: FieldSet): Record<string, unknown> {
  const root: Tree = {};
  for (const key of [...paths].toSorted()) {
    let tree = root;
    for (const segment of pathOfKey(key)) tree = tree[segment] ??= {};
  }
  for (const key of paths) {
    const tree = pathOfKey(key).reduce<Tree>((at, segment) => at[segment] as Tree, root);
    if (Object.keys(tree).length > 0) tree[ITSELF] = {};
  }
  return root;
}
