import { failed, ok, type Check } from '../check.ts';

const LEAST_MAJOR = 24;
const EXPECTED = `Node.js ${LEAST_MAJOR} or newer, which runs TypeScript as it is written`;

export const nodeVersion: Check = {
  name: 'node',
  substrate: 'both',
  reason: 'everything here is TypeScript without a build step',
  examine: () => [judgeNode(process.versions.node, process.execPath)],
};

export function judgeNode(version: string, path: string): ReturnType<typeof ok> {
  const found = `Node.js ${version} (${path})`;
  return Number(version.split('.')[0]) >= LEAST_MAJOR ? ok(found, EXPECTED) : failed(found, EXPECTED, 'start with npm or pnpm, which bring their own on Linux x64; elsewhere install it from https://nodejs.org/');
}
