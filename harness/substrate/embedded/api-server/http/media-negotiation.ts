import { ApiStatusError } from '../status-error.ts';

export type Representation = 'json' | 'yaml' | 'table' | 'partial' | 'partial-list' | 'aggregated-discovery';

interface AcceptClause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** Picks how to answer from the Accept header; the first clause that is possible wins. Throws 406 when none is. */
export function negotiate(header: string | undefined, possible: readonly Representation[]): Representation {
  for (const clause of parseAccept(header ?? '*/*')) {
    const representation = representationOf(clause);
    if (representation !== null && possible.includes(representation)) return representation;
  }
  throw new ApiStatusError(406, 'NotAcceptable', 'only the following media types are accepted: application/json, application/yaml', {});
}

function parseAccept(header: string): AcceptClause[] {
  const clauses = header.split(',').map((text) => {
    const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
    const map = new Map(parameters.map((parameter) => [parameter.split('=')[0] ?? '', parameter.split('=').slice(1).join('=')]));
    return { type: type.toLowerCase(), parameters: map, quality: Number(map.get('q') ?? 1) };
  });
  return clauses.filter(({ quality }) => quality > 0).toSorted((a, b) => b.quality - a.quality);
}

function representationOf({ type, parameters }: AcceptClause): Representation | null {
  if (type === 'application/yaml') return parameters.has('as') ? null : 'yaml';
  if (!['application/json', '*/*', 'application/*', 'text/json', ''].includes(type)) return null;
  switch (parameters.get('as')) {
    case undefined:
      return 'json';
    case 'Table':
      return 'table';
    case 'PartialObjectMetadata':
      return 'partial';
    case 'PartialObjectMetadataList':
      return 'partial-list';
    case 'APIGroupDiscoveryList':
      return parameters.get('v') === 'v2' ? 'aggregated-discovery' : null;
    default:
      return null;
  }
}
