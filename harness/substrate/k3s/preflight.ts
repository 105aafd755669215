import { describeFailures, failuresAmong } from '../../doctor/assert-fit.ts';
import type { Check } from '../../doctor/check.ts';
import { cgroups } from '../../doctor/checks/cgroups.ts';
import { diskDocker } from '../../doctor/checks/disk-docker.ts';
import { dockerPlatform } from '../../doctor/checks/docker-platform.ts';
import { dockerVersion } from '../../doctor/checks/docker-version.ts';
import { storedImages } from '../../doctor/checks/images.ts';
import { inotify } from '../../doctor/checks/inotify.ts';
import { loopback } from '../../doctor/checks/loopback.ts';
import { memory } from '../../doctor/checks/memory.ts';
import { temporaryFolder } from '../../doctor/checks/temporary-folder.ts';
import { umask } from '../../doctor/checks/umask.ts';
import { askEngine, hasSecurityOption } from '../../doctor/engine.ts';
import type { PullPolicy } from '../../images/resolve-image.ts';
import type { DockerConnection } from './docker-connection.ts';
import { SubstrateError, type SubstrateFault } from './substrate-error.ts';

const INFO_WITHIN_MS = 5_000;

/** What a run needs to know about the Engine it runs on. */
export interface EngineFacts {
  readonly cgroupVersion: string;
  readonly remapsUsers: boolean;
  readonly isRootless: boolean;
}

/** What can be known in a moment, and the fault that it is told as; `doctor` looks at the rest too. */
const CHECKS: readonly (readonly [SubstrateFault, Check])[] = [
  ['DOCKER_UNFIT', dockerVersion],
  ['DOCKER_UNFIT', dockerPlatform],
  ['DOCKER_UNFIT', cgroups],
  ['DISK_TOO_FULL', diskDocker],
  ['MACHINE_UNFIT', inotify],
  ['MACHINE_UNFIT', memory],
  ['MACHINE_UNFIT', temporaryFolder],
  ['MACHINE_UNFIT', umask],
  ['MACHINE_UNFIT', loopback],
  ['IMAGE_UNAVAILABLE', storedImages],
];

/** Checks, before anything is started, that Engine and machine can run a cluster; all that keeps them from it is told at once. */
export async function checkEngine(connection: DockerConnection, pull: PullPolicy = 'missing'): Promise<EngineFacts> {
  const engine = await askEngine(connection, AbortSignal.timeout(INFO_WITHIN_MS));
  const { info } = engine;
  const failures = await failuresAmong(CHECKS.map(([, check]) => check), { substrates: ['k3s'], engine, pull });
  if (failures.length > 0) {
    const fault = CHECKS.find(([, { name }]) => failures.some((failure) => failure.name === name || failure.name.startsWith(`${name}: `)))?.[0] ?? 'MACHINE_UNFIT';
    throw new SubstrateError(fault, `K3s cannot run here:\n${describeFailures(failures)}`);
  }
  return { cgroupVersion: info.CgroupVersion ?? '1', remapsUsers: hasSecurityOption(info, 'userns'), isRootless: hasSecurityOption(info, 'rootless') };
}
