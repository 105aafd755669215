import type { DecodingTarget } from '../decoding/decode-object.ts';

export const SCALE_TARGET: DecodingTarget = { group: 'autoscaling', version: 'v1', kind: 'Scale', model: 'V1Scale' };
