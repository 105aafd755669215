import { arch, platform } from 'node:process';

/** What /version says. The build metadata and gitTreeState tell that this is no Kubernetes build. */
export const DEFAULT_VERSION = 'v1.34.3+embedded';

export function versionDocument(gitVersion: string): Record<string, string> {
  const [, major = '1', minor = '34'] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: '',
    gitTreeState: 'not-kubernetes-embedded-stand-in',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `none (node ${process.version})`,
    compiler: 'none',
    platform: `${platform}/${arch === 'x64' ? 'amd64' : arch}`,
  };
}
