import { after, suite } from 'node:test';
import { openClusterSource } from './cluster-source.ts';
import { ClusterUnderTest } from './cluster-under-test.ts';
import { checkAccess } from './access.ts';
import { checkAudit } from './audit.ts';
import { checkCommands } from './commands.ts';
import { checkDeleting } from './deleting.ts';
import { checkDeployments } from './deployments.ts';
import { checkJobs } from './jobs.ts';
import { checkListing } from './listing.ts';
import { checkObjects } from './objects.ts';
import { checkPatching } from './patching.ts';
import { checkPods } from './pods.ts';
import { checkSecrets } from './secrets.ts';
import { checkServices } from './services.ts';
import { checkSubresources } from './subresources.ts';
import { checkTokens } from './tokens.ts';
import { checkValidation } from './validation.ts';
import { checkVolumes } from './volumes.ts';
import { checkWatching } from './watching.ts';

/** Requests and answers alone: quick, many side by side. */
const API_CHECKS = {
  objects: checkObjects,
  listing: checkListing,
  watching: checkWatching,
  patching: checkPatching,
  deleting: checkDeleting,
  secrets: checkSecrets,
  validation: checkValidation,
  access: checkAccess,
  tokens: checkTokens,
  subresources: checkSubresources,
  audit: checkAudit,
};

/** With processes on the node, which take their time. */
const NODE_CHECKS = {
  deployments: checkDeployments,
  jobs: checkJobs,
  pods: checkPods,
  volumes: checkVolumes,
  services: checkServices,
  commands: checkCommands,
};

const cluster = await ClusterUnderTest.open(await openClusterSource(process.env));
after(() => cluster.close());

suite(`${cluster.source.name} (${cluster.version.gitVersion}) answers as Kubernetes does`, () => {
  for (const [subject, check] of Object.entries(API_CHECKS)) suite(subject, { concurrency: 4 }, () => check(cluster));
  for (const [subject, check] of Object.entries(NODE_CHECKS)) suite(subject, { concurrency: 2 }, () => check(cluster));
});
