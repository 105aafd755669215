import type { ObjectValues } from '../contract/object-values.ts';
import type { IdentityMaterial } from '../contract/identity.ts';
import type { SubstrateKind } from '../substrate/substrate.ts';
import { COMPONENTS } from '../images/components.ts';
import { nodeName } from '../substrate/k3s/node-images.ts';
import { productTagOf } from '../substrate/k3s/run-names.ts';

/** Stands for the run's id, which is made when it starts. */
export const RUN_ID = '<run-id>';
/** Stands for what a run makes when it starts: keys, passwords, addresses. */
export const MADE_BY_RUN = '(made by the run)';
const ADDRESS = '(known when it runs)';

export function imageNameOf(substrate: SubstrateKind, repository: string): string {
  return substrate === 'k3s' ? nodeName(productTagOf(repository, RUN_ID)) : `${repository}:${RUN_ID}`;
}

/** What the objects are filled with here: the run's own values are not known yet, and none of them is secret. */
export function plannedValues(substrate: SubstrateKind): ObjectValues {
  return {
    images: {
      worker: { name: imageNameOf(substrate, COMPONENTS.worker.repository) },
      control: { name: imageNameOf(substrate, COMPONENTS.control.repository) },
      admin: { name: imageNameOf(substrate, COMPONENTS.admin.repository) },
    },
    clusterIdentity: `${substrate}/${RUN_ID}`,
    pepper: MADE_BY_RUN,
    access: { apiServer: { serviceCidr: ADDRESS, servicePort: 443, backendCidr: ADDRESS, backendPort: 6443 } },
    database: { access: { caPem: MADE_BY_RUN, fromPods: { host: ADDRESS, port: 5432, cidr: ADDRESS } }, urlForPods: () => MADE_BY_RUN },
  };
}

export function plannedIdentity(generation: string): IdentityMaterial {
  return { authority: { certificatePem: MADE_BY_RUN }, client: { certificatePem: MADE_BY_RUN, privateKeyPem: MADE_BY_RUN }, facts: { generation } };
}
