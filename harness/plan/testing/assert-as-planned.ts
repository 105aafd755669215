import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BUNDLE_LAYOUT, MANIFEST_PATH, type BundleFiles, type BundleFormat } from '../../../evidence/bundle-layout.ts';
import { parseObservations } from '../../../evidence/read-observations.ts';
import { makePlan } from '../plan.ts';
import { bundlePaths } from '../planned-writes.ts';
import { SIDE_PROBES } from '../side-probes.ts';

interface RenderedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Holds the plan of an embedded run to what one has really done, by the bundle that it left. */
export function assertAsPlanned(files: BundleFiles, isSigned: boolean): void {
  const text = (path: string): string => Buffer.from(files.get(path) ?? []).toString();
  const { observations } = parseObservations(text(BUNDLE_LAYOUT.observations.path));
  const started = observations.find((each) => each.kind === 'run.started');
  assert.ok(started?.kind === 'run.started');
  const plan = makePlan({ substrate: 'embedded', source: { directory: '/', revision: started.body.sourceRevision, clean: started.body.treeClean }, environment: {}, reportPath: null, bundle: null });

  assert.deepEqual(
    plan.steps.flatMap(({ id }) => (id === SIDE_PROBES ? [] : [id])),
    observations.flatMap((each) => (each.kind === 'run.step' && each.body.state === 'started' ? [each.body.step] : [])),
    'the steps, in the order of their beginning',
  );
  const created = lines(text(BUNDLE_LAYOUT.manifests.path)).map((line) => JSON.parse(line) as RenderedObject);
  assert.deepEqual(
    plan.objects.map(({ kind, namespace, name }) => `${kind} ${namespace ?? ''}/${name}`),
    created.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`),
    'the objects, in the order of their creation',
  );
  const tried = new Set(observations.flatMap((each) => (each.kind === 'probe.result' ? [each.body.probe] : [])));
  assert.deepEqual(plan.probes.flatMap(({ id, isTried }) => (isTried ? [id] : [])), plan.probes.flatMap(({ id }) => (tried.has(id) ? [id] : [])), 'the probes that are tried');
  const report = JSON.parse(text(BUNDLE_LAYOUT.report.path)) as { fixture: string; unproven: readonly string[]; limitations: readonly string[] };
  assert.deepEqual({ fixture: plan.claim.fixture, unproven: plan.claim.unproven, limitations: plan.claim.limitations }, { fixture: report.fixture, unproven: report.unproven, limitations: report.limitations }, 'what the report claims');

  const { format } = JSON.parse(text(MANIFEST_PATH)) as { format: BundleFormat };
  assert.deepEqual(bundlePaths(isSigned, format), [...files.keys()].sort(), 'the files of the bundle');
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** A bundle that was written as a folder, by path. */
export function readBundleFolder(folder: string): BundleFiles {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(files.map((file) => [relative(folder, file), readFileSync(file)]));
}
