import type { BundlePart } from './bundle-layout.ts';

/** What each file of a bundle holds, in words for `BUNDLE.md`. */
export const BUNDLE_CONTENTS: Readonly<Record<BundlePart, string>> = {
  auditEvents: "the API server's own audit events that concern the run, each line as it was logged",
  finalObjects: "the API server's answers for the objects at the end of the run, without the values of Secrets",
  imageInputs: 'what each image was built from: source revision, digests of tree, Dockerfile, base and lock file',
  containerLogs: 'what the containers printed, line by line',
  platformLogs: 'what control plane and database logged themselves, line by line; of a long log the end',
  runLog: 'what the run said while it went on, and where its time went',
  manifests: 'the Kubernetes objects as they were rendered and created, without the values of Secrets',
  observations: 'every fact that the report rests on, in the order of recording',
  report: 'the report, in canonical JSON',
  versions: 'versions of everything that took part',
};
