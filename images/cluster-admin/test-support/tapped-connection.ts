import type { ApiConnection, ApiRequest } from '../src/kubernetes/api-connection.ts';
import { createDeploymentsClient } from '../src/kubernetes/deployments-client.ts';
import { createSecretsClient } from '../src/kubernetes/secrets-client.ts';
import type { DeliveryClients } from '../src/delivery/publication.ts';

export interface Tap {
  readonly connection: ApiConnection;
  readonly clients: DeliveryClients;
  /** Every call made, as its operation: `GET secrets/x in y`. */
  readonly operations: string[];
  /** Operations that change something. */
  writes(): string[];
  /** Runs once, before the next call whose operation starts like this; what it throws is the call's failure. */
  before(operation: string, act: () => Promise<void>): void;
  /** Runs once, after the API server has done the call; what it throws takes the place of the answer. */
  after(operation: string, act: () => Promise<void>): void;
}

/** A real connection with somebody listening, who may act between two calls. */
export function tapConnection(real: ApiConnection, onCall: (operation: string) => void = () => {}): Tap {
  const operations: string[] = [];
  const hooks: { when: 'before' | 'after'; operation: string; act: () => Promise<void> }[] = [];
  const run = async (when: 'before' | 'after', request: ApiRequest): Promise<void> => {
    const index = hooks.findIndex((hook) => hook.when === when && request.operation.startsWith(hook.operation));
    if (index >= 0) await hooks.splice(index, 1)[0]!.act();
  };
  const connection: ApiConnection = {
    async call(request) {
      operations.push(request.operation);
      onCall(request.operation);
      await run('before', request);
      const answer = await real.call(request);
      await run('after', request);
      return answer;
    },
    dispose: () => real.dispose(),
    get disposed() {
      return real.disposed;
    },
  };
  return {
    connection,
    clients: { secrets: createSecretsClient(connection), deployments: createDeploymentsClient(connection) },
    operations,
    writes: () => operations.filter((operation) => /^(POST|PUT|DELETE) (secrets|deployments)/.test(operation)),
    before: (operation, act) => void hooks.push({ when: 'before', operation, act }),
    after: (operation, act) => void hooks.push({ when: 'after', operation, act }),
  };
}
