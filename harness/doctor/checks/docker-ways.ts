import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectTo, reasonOfSilence } from '../../substrate/k3s/docker-connection.ts';
import { dockerEndpoints, usualSockets, type DockerEndpoint } from '../../substrate/k3s/docker-endpoint.ts';
import { failed, ok, skipped, type Check, type Examination, type Finding } from '../check.ts';

const EXPECTED = 'a Docker Engine that answers';
const ANSWER_WITHIN_MS = 3_000;

export const dockerWays: Check = {
  name: 'docker',
  substrate: 'k3s',
  reason: 'the release path starts K3s and PostgreSQL as containers',
  async examine(examination) {
    const chosen = dockerEndpoints(examination.environment, examination.home);
    const tried = await Promise.all(chosen.map(tryEndpoint));
    const used = tried.findIndex(({ answers }) => answers);
    return [
      ...unusedWays(examination, chosen),
      ...tried.map((attempt, index) => ({ ...judge(attempt, index, used), of: attempt.endpoint.origin })),
    ];
  },
};

interface Attempt {
  readonly endpoint: DockerEndpoint;
  readonly answers: boolean;
  readonly found: string;
}

async function tryEndpoint(endpoint: DockerEndpoint): Promise<Attempt> {
  const host = endpoint.host || 'it names no host';
  const secured = endpoint.certificates === undefined ? '' : ` with TLS (${endpoint.certificates})`;
  try {
    const { engineVersion } = await connectTo(endpoint, ANSWER_WITHIN_MS);
    return { endpoint, answers: true, found: `Docker Engine ${engineVersion} at ${host}${secured}` };
  } catch (error) {
    return { endpoint, answers: false, found: `${host}${secured}: ${reasonOfSilence(error)}` };
  }
}

/** The first that answers is used; that others do not is then no fault. */
function judge({ answers, found, endpoint }: Attempt, index: number, used: number): Finding {
  if (index === used) return ok(`${found}; this one is used`, EXPECTED);
  if (used >= 0) return skipped(answers ? `${found}; an earlier one is used` : found, EXPECTED);
  return failed(found, EXPECTED, cureOf(endpoint, found));
}

function cureOf({ origin, host }: DockerEndpoint, found: string): string {
  if (found.includes('permission denied')) return 'add this user to the group that owns the socket (sudo usermod -aG docker "$USER", then log in again), or use rootless Docker';
  if (origin === 'DOCKER_HOST') return `start the Engine at ${host}, or unset DOCKER_HOST`;
  if (origin.includes('ontext')) return '`docker context ls` shows the contexts; `docker context use default` goes back to the usual socket';
  return 'install and start Docker (https://docs.docker.com/engine/install/), or use `npx ql3-evidence rehearse`, which does without';
}

/** The ways that a run does not go here, so that nobody has to wonder why their Engine is not found. */
function unusedWays({ environment, home }: Examination, chosen: readonly DockerEndpoint[]): readonly Finding[] {
  const decides = chosen[0]?.origin ?? '';
  const isChosen = (start: string): boolean => chosen.some(({ origin }) => origin.startsWith(start));
  const way = (of: string, value: string | undefined): Finding[] =>
    isChosen(of) ? [] : [{ ...skipped(value ? `${value}; not asked, since ${decides} comes first` : 'not set', EXPECTED), of }];
  return [
    ...way('DOCKER_CONTEXT', environment['DOCKER_CONTEXT']),
    ...way('DOCKER_HOST', environment['DOCKER_HOST']),
    ...way('the current Docker context', currentContext(environment, home)),
    ...usualSockets(environment, home)
      .filter(({ origin }) => !isChosen(origin))
      .map(({ origin: of, host }) => ({ ...skipped(`${host}; not asked, since ${decides} comes first`, EXPECTED), of })),
  ];
}

function currentContext(environment: Examination['environment'], home: string): string | undefined {
  try {
    const { currentContext: name } = JSON.parse(readFileSync(join(environment['DOCKER_CONFIG'] ?? join(home, '.docker'), 'config.json'), 'utf8')) as { currentContext?: string };
    return name;
  } catch {
    return undefined;
  }
}
