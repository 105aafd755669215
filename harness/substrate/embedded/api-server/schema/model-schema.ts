import { createRequire } from 'node:module';
import { parseFieldType, type FieldType } from './field-type.ts';

export interface ModelSchema {
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldType>;
}

interface AttributeMapHolder {
  readonly attributeTypeMap: readonly { readonly baseName: string; readonly type: string; readonly format: string }[];
}

const require = createRequire(import.meta.url);
const schemas = new Map<string, ModelSchema>();

/** The fields of a built-in type. Each model of the client is loaded when it is first needed, since there are a thousand. */
export function modelSchema(name: string): ModelSchema {
  let schema = schemas.get(name);
  if (schema === undefined) {
    schema = { name, fields: loadFields(name) };
    schemas.set(name, schema);
  }
  return schema;
}

function loadFields(name: string): Map<string, FieldType> {
  const module = require(`@kubernetes/client-node/dist/gen/models/${name}.js`) as Record<string, AttributeMapHolder | undefined>;
  const model = module[name];
  if (model === undefined) throw new Error(`the Kubernetes client has no model ${name}`);
  return new Map(model.attributeTypeMap.map(({ baseName, type, format }) => [baseName, parseFieldType(type, format)]));
}
