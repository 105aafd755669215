import { COMPONENTS } from '../images/components.ts';
import { API_PORT } from '../substrate/k3s/cluster-container.ts';
import { DATABASE_PORT } from '../substrate/k3s/database-container.ts';
import { referenceOf } from '../substrate/k3s/platform-images.ts';
import { clusterContainerOf, databaseContainerOf, networkOf, productTagOf } from '../substrate/k3s/run-names.ts';
import type { SubstrateKind } from '../substrate/substrate.ts';
import { RUN_ID } from './planned-values.ts';

/** Something that exists as long as the run, and not afterwards. */
export interface PlannedThing {
  readonly kind: 'container' | 'network' | 'volume' | 'image' | 'process';
  readonly name: string;
  readonly what: string;
}

export function planPlatform(substrate: SubstrateKind, environment: Readonly<Record<string, string | undefined>>): readonly PlannedThing[] {
  return substrate === 'k3s' ? inDocker(environment) : onThisMachine();
}

function inDocker(environment: Readonly<Record<string, string | undefined>>): readonly PlannedThing[] {
  return [
    { kind: 'network', name: networkOf(RUN_ID), what: 'a bridge for the two containers' },
    { kind: 'container', name: clusterContainerOf(RUN_ID), what: `${referenceOf('k3s', environment)}, privileged; ${API_PORT} on a free port of 127.0.0.1` },
    { kind: 'container', name: databaseContainerOf(RUN_ID), what: `${referenceOf('postgres', environment)}; ${DATABASE_PORT}/tcp on a free port of 127.0.0.1` },
    { kind: 'volume', name: '(named by Docker)', what: 'one for each VOLUME that the two images declare' },
    ...Object.values(COMPONENTS).map(({ repository, folder }): PlannedThing => ({ kind: 'image', name: productTagOf(repository, RUN_ID), what: `built from ${folder}/Dockerfile` })),
  ];
}

function onThisMachine(): readonly PlannedThing[] {
  return [
    { kind: 'process', name: 'embedded cluster', what: 'API server, controllers and node agent, on free ports of 127.0.0.1 and a range 127.a.b.0/24' },
    { kind: 'process', name: 'postgres', what: 'PostgreSQL with TLS, on a free port of 127.0.0.1; started by root it runs as the account 65534' },
    { kind: 'process', name: 'node', what: "one for each container of a Pod: the product's own programs" },
  ];
}
