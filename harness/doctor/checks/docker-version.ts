import { failed, ok, type Check } from '../check.ts';
import { ofEngine } from '../engine.ts';

/** Docker 20.10: the oldest Engine with cgroup v2 and private cgroup namespaces. */
const LEAST_API_VERSION = '1.41';
const EXPECTED = `an Engine with API ${LEAST_API_VERSION} (Docker 20.10) or newer`;

export const dockerVersion: Check = {
  name: 'docker-version',
  substrate: 'k3s',
  reason: 'the cluster is started in a cgroup namespace of its own, which older Engines do not have',
  examine: (examination) =>
    ofEngine(examination, EXPECTED, ({ connection: { engineVersion, apiVersion } }) => {
      const found = `Docker Engine ${engineVersion} with API ${apiVersion}`;
      return isAtLeast(apiVersion, LEAST_API_VERSION) ? ok(found, EXPECTED) : failed(found, EXPECTED, 'install a newer Docker Engine: https://docs.docker.com/engine/install/');
    }),
};

/** Of versions with two numbers; 1.9 is older than 1.41. */
function isAtLeast(version: string, least: string): boolean {
  const [[major = 0, minor = 0], [leastMajor = 0, leastMinor = 0]] = [numbers(version), numbers(least)];
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function numbers(version: string): number[] {
  return version.split('.').map(Number);
}
