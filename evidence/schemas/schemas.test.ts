import Ajv from 'ajv';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { deriveReport } from '../derive.ts';
import { rehearsalReport, releaseReport } from '../report.ts';
import { faultsOf } from '../shape.ts';
import { completeRun } from '../testing/complete-run.ts';
import { setIn } from '../testing/lies.ts';
import { PUBLISHED_SCHEMAS, schemaText } from './schemas.ts';

const published = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const ajv = new Ajv.default({ strict: false });
const validator = (name: string) => ajv.compile(JSON.parse(published(name)) as object);

describe('published schemas', () => {
  for (const [name, schema] of Object.entries(PUBLISHED_SCHEMAS)) {
    it(`${name} is what the shapes say; write it anew with node evidence/schemas/write-schemas.ts`, () => assert.equal(published(name), schemaText(schema)));
  }

  it('accept every observation of a whole run, and none with a key more', () => {
    const accepts = validator('observation-v1.schema.json');
    for (const observation of completeRun()) {
      assert.equal(accepts(observation), true, `${observation.kind}: ${JSON.stringify(accepts.errors)}`);
      assert.equal(accepts({ ...observation, extra: 1 }), false);
    }
  });

  for (const [name, shape, circumstances] of [
    ['report-release-v2.schema.json', releaseReport, { platform: 'release', treeClean: true }],
    ['report-rehearsal-v2.schema.json', rehearsalReport, { platform: 'embedded', treeClean: true }],
  ] as const) {
    it(`${name} agrees with its shape on a report and on broken ones`, () => {
      const accepts = validator(name);
      const { report } = deriveReport(completeRun(circumstances));
      assert.equal(accepts(report), true, JSON.stringify(accepts.errors));
      for (const [section, value] of Object.entries(report)) {
        for (const field of typeof value === 'object' && !Array.isArray(value) ? Object.keys(value as object) : []) {
          for (const replacement of [null, 7, 'x', [], {}, true]) {
            const broken = setIn(report, [section, field], replacement);
            assert.equal(accepts(broken), faultsOf(shape, broken).length === 0, `${section}.${field} = ${JSON.stringify(replacement)}`);
          }
        }
      }
    });
  }
});
