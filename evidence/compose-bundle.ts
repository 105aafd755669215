import { BUNDLE_LAYOUT, MANIFEST_PATH, type BundleFiles, type BundlePart } from './bundle-layout.ts';
import { manifestOf } from './bundle-manifest.ts';
import type { ContainerLogLine, PlatformLogLine, RunLogLine, Versions } from './bundle-parts.ts';
import { canonicalJson } from './canonical-json.ts';
import { imageInputsOf } from './image-inputs.ts';
import type { Observation, ObservedObject } from './observation.ts';

export interface BundleContents {
  readonly report: unknown;
  readonly observations: readonly Observation[];
  /** The log's own text, byte by byte. */
  readonly observationLog: string;
  /** Raw lines, each with its end. */
  readonly auditEvents: string;
  readonly finalObjects: readonly ObservedObject[];
  readonly manifests: readonly object[];
  readonly containerLogs: readonly ContainerLogLine[];
  readonly platformLogs: readonly PlatformLogLine[];
  readonly runLog: readonly RunLogLine[];
  readonly versions: Versions;
}

/** The files of a bundle with their manifest; the same contents give the same bytes. */
export function composeBundle(contents: BundleContents): BundleFiles {
  const texts: Readonly<Record<BundlePart, string>> = {
    report: `${canonicalJson(contents.report)}\n`,
    observations: contents.observationLog,
    auditEvents: contents.auditEvents,
    finalObjects: toLines(contents.finalObjects),
    manifests: toLines(contents.manifests),
    containerLogs: toLines(contents.containerLogs),
    platformLogs: toLines(contents.platformLogs),
    runLog: toLines(contents.runLog),
    imageInputs: imageInputsOf(contents.observations),
    versions: `${canonicalJson(contents.versions)}\n`,
  };
  const files = new Map(Object.entries(texts).map(([part, text]) => [BUNDLE_LAYOUT[part as BundlePart].path as string, Buffer.from(text) as Uint8Array]));
  return sealBundle(files);
}

/** Gives files the manifest that says what they are; one that they have already is made anew. */
export function sealBundle(files: BundleFiles): BundleFiles {
  return new Map([...files, [MANIFEST_PATH, Buffer.from(`${canonicalJson(manifestOf(files))}\n`)]]);
}

function toLines(values: readonly unknown[]): string {
  return values.map((value) => `${canonicalJson(value)}\n`).join('');
}
