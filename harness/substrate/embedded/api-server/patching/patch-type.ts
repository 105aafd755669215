import { unsupportedMediaType } from '../http/request-body.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

export function patchTypeOf(mediaType: string): PatchType {
  const type = TYPES[mediaType];
  if (type === undefined) throw unsupportedMediaType(mediaType, Object.keys(TYPES));
  return type;
}
