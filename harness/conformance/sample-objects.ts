import type { V1Deployment } from '@kubernetes/client-node';

/** A Deployment that starts nothing: for checks of the API alone. */
export function pausedDeployment(name: string): V1Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { app: name } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      strategy: { type: 'Recreate' },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'example.invalid/none:1' }] } },
    },
  };
}
