/** Writes the published schemas anew: `node evidence/schemas/write-schemas.ts`. */
import { writeFileSync } from 'node:fs';
import { PUBLISHED_SCHEMAS, schemaText } from './schemas.ts';

for (const [name, schema] of Object.entries(PUBLISHED_SCHEMAS)) writeFileSync(new URL(name, import.meta.url), schemaText(schema));
