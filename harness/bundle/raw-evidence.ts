import type { ContainerLogLine, PlatformLogLine } from '../../evidence/bundle-parts.ts';
import type { ObservedObject } from '../../evidence/observation.ts';

/** What the witnesses said themselves, beside what was taken down of it. Free of secrets. */
export interface RawEvidence {
  /** The API server's lines that concern the run, each with its end. */
  readonly auditEvents: string;
  readonly finalObjects: readonly ObservedObject[];
  readonly manifests: readonly object[];
  readonly containerLogs: readonly ContainerLogLine[];
  readonly platformLogs: readonly PlatformLogLine[];
}
