import type { ApiConnection } from './api-connection.ts';
import type { Deployment } from './api-objects.ts';
import { parseDeployment } from './object-parser.ts';
import { parseAnswer } from './parsed-answer.ts';
import type { WriteOptions } from './secrets-client.ts';

/** AppsV1 Deployments, no more than the delivery role may do with them. */
export interface DeploymentsClient {
  read(namespace: string, name: string): Promise<Deployment>;
  replace(deployment: Deployment, options: WriteOptions): Promise<Deployment>;
}

export function createDeploymentsClient(connection: ApiConnection): DeploymentsClient {
  return {
    async read(namespace, name) {
      const operation = `GET deployments/${name} in ${namespace}`;
      const answer = await connection.call({ method: 'GET', path: deploymentPath(namespace, name), operation });
      return parseAnswer(operation, parseDeployment, answer);
    },
    async replace(deployment, options) {
      const { name, namespace } = deployment.metadata;
      const operation = `PUT deployments/${name} in ${namespace}`;
      const path = deploymentPath(namespace, name);
      const answer = await connection.call({ method: 'PUT', path, query: { ...options }, body: deployment, operation });
      return parseAnswer(operation, parseDeployment, answer);
    },
  };
}

function deploymentPath(namespace: string, name: string): string {
  return `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments/${encodeURIComponent(name)}`;
}
