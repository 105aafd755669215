import Ajv from 'ajv';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { bundleManifest } from '../bundle-manifest.ts';
import { BUNDLE_LAYOUT, MANIFEST_PATH } from '../bundle-layout.ts';
import { containerLogLine, platformLogLine, renderedObject, runLogLine, versions } from '../bundle-parts.ts';
import { faultsOf, isObject, type Shape } from '../shape.ts';
import { bundleOf } from '../testing/bundle-story.ts';

const FILES = bundleOf();
const valuesOf = (path: string): unknown[] => Buffer.from(FILES.get(path) ?? []).toString().trim().split('\n').map((line) => JSON.parse(line) as unknown);
const ajv = new Ajv.default({ strict: false });

describe('published schemas of a bundle’s parts', () => {
  for (const [name, shape, path] of [
    ['bundle-manifest-v2.schema.json', bundleManifest, MANIFEST_PATH],
    ['bundle-versions-v1.schema.json', versions, BUNDLE_LAYOUT.versions.path],
    ['container-log-line-v1.schema.json', containerLogLine, BUNDLE_LAYOUT.containerLogs.path],
    ['platform-log-line-v1.schema.json', platformLogLine, BUNDLE_LAYOUT.platformLogs.path],
    ['run-log-line-v1.schema.json', runLogLine, BUNDLE_LAYOUT.runLog.path],
    ['rendered-object-v1.schema.json', renderedObject, BUNDLE_LAYOUT.manifests.path],
  ] as readonly (readonly [string, Shape<unknown>, string])[]) {
    it(`${name} agrees with its shape on what a run leaves, and on broken values`, () => {
      const accepts = ajv.compile(JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as object);
      const values = valuesOf(path);
      assert.ok(values.length > 0);
      for (const value of values) assert.equal(accepts(value), true, JSON.stringify(accepts.errors));
      const [first] = values;
      assert.ok(isObject(first));
      for (const key of [...Object.keys(first), 'extra', 'data', 'stringData']) {
        for (const replacement of [null, 7, 'x', [], {}, true]) {
          const broken: object = { ...first, [key]: replacement };
          assert.equal(accepts(broken), faultsOf(shape, broken).length === 0, `${key} = ${JSON.stringify(replacement)}`);
        }
        const without: object = Object.fromEntries(Object.entries(first).filter(([each]) => each !== key));
        assert.equal(accepts(without), faultsOf(shape, without).length === 0, `without ${key}`);
      }
      assert.equal(accepts({ ...first, kind: 'Secret', data: {} }), false);
    });
  }
});
