import { OWNER, RELIED_ON, RELIED_ON_WHEN_THERE } from '../observation-shapes.ts';
import type { JsonSchema, Shape } from '../shape.ts';

const texts: JsonSchema = { type: 'array', items: { type: 'string' } };
const schemasOf = (shapes: Readonly<Record<string, Shape<unknown>>>): object => Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, shape.schema]));

/** Objects of the API as they are written down: as the API server served them, and as they were rendered. */
export const OBSERVED_OBJECT: JsonSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    dataKeys: texts,
    metadata: {
      type: 'object',
      required: Object.keys(RELIED_ON),
      properties: {
        ...schemasOf({ ...RELIED_ON, ...RELIED_ON_WHEN_THERE }),
        ownerReferences: { type: 'array', items: { type: 'object', required: Object.keys(OWNER), properties: schemasOf(OWNER) } },
      },
    },
  },
  anyOf: [{ not: { properties: { kind: { const: 'Secret' } } } }, { not: { anyOf: [{ required: ['data'] }, { required: ['stringData'] }] } }],
};

export const RENDERED_OBJECT: JsonSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata'],
  properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, namespace: { type: 'string' } } } },
  anyOf: [{ properties: { kind: { not: { const: 'Secret' } } } }, { not: { anyOf: [{ required: ['data'] }, { required: ['stringData'] }] } }],
};
