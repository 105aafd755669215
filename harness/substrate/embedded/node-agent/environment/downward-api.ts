import type { Container, Pod } from '../../controllers/runtime/objects.ts';
import { parseQuantity } from '../quantity.ts';

/** Where this Pod runs, as far as its status may not say so yet. */
export interface PodPlace {
  readonly podIp: string;
  readonly nodeIp: string;
}

/** The value of a fieldRef; labels and annotations as whole maps are only for volumes. */
export function podField(pod: Pod, fieldPath: string, place: PodPlace): string {
  const keyed = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(fieldPath);
  if (keyed !== null) return pod.metadata[keyed[1] as 'labels' | 'annotations']?.[keyed[2] ?? ''] ?? '';
  switch (fieldPath) {
    case 'metadata.name':
      return pod.metadata.name;
    case 'metadata.namespace':
      return pod.metadata.namespace;
    case 'metadata.uid':
      return pod.metadata.uid;
    case 'metadata.labels':
      return toLines(pod.metadata.labels);
    case 'metadata.annotations':
      return toLines(pod.metadata.annotations);
    case 'spec.nodeName':
      return pod.spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec.serviceAccountName ?? 'default';
    case 'status.podIP':
    case 'status.podIPs':
      return place.podIp;
    case 'status.hostIP':
    case 'status.hostIPs':
      return place.nodeIp;
    default:
      throw new Error(`field ${fieldPath} is not one that the downward API has`);
  }
}

/** `limits.memory`, `requests.cpu` …, in units of the divisor, rounded up. */
export function resourceField(container: Container, resource: string, divisor: string | number = '1'): string {
  const [section, ...name] = resource.split('.');
  const { limits, requests } = container.resources ?? {};
  const quantity = section === 'limits' ? limits?.[name.join('.')] : (requests?.[name.join('.')] ?? limits?.[name.join('.')]);
  const unit = parseQuantity(divisor) || 1;
  return quantity === undefined ? '0' : String(Math.ceil(parseQuantity(quantity) / unit));
}

function toLines(values: Readonly<Record<string, string>> = {}): string {
  return Object.entries(values)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join('\n');
}
