import type { Check } from './check.ts';
import { cgroups } from './checks/cgroups.ts';
import { clock } from './checks/clock.ts';
import { diskDocker } from './checks/disk-docker.ts';
import { diskTemporary } from './checks/disk-temporary.ts';
import { dockerPlatform } from './checks/docker-platform.ts';
import { dockerVersion } from './checks/docker-version.ts';
import { dockerWays } from './checks/docker-ways.ts';
import { images } from './checks/images.ts';
import { inotify } from './checks/inotify.ts';
import { installation } from './checks/installation.ts';
import { kubectl } from './checks/kubectl.ts';
import { leavings } from './checks/leavings.ts';
import { loopback } from './checks/loopback.ts';
import { memory } from './checks/memory.ts';
import { nodeVersion } from './checks/node-version.ts';
import { openFiles } from './checks/open-files.ts';
import { pnpmVersion } from './checks/pnpm-version.ts';
import { postgresAccount } from './checks/postgres-account.ts';
import { privileges } from './checks/privileges.ts';
import { source } from './checks/source.ts';
import { temporaryFolder } from './checks/temporary-folder.ts';
import { umask } from './checks/umask.ts';

/** Everything that a run needs, in the order in which it is told. */
export const CHECKS: readonly Check[] = [
  nodeVersion,
  pnpmVersion,
  installation,
  source,
  temporaryFolder,
  umask,
  clock,
  memory,
  loopback,
  leavings,
  kubectl,
  diskTemporary,
  openFiles,
  postgresAccount,
  dockerWays,
  dockerVersion,
  dockerPlatform,
  cgroups,
  privileges,
  diskDocker,
  inotify,
  images,
];
