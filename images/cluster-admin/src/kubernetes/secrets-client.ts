import type { ApiConnection } from './api-connection.ts';
import type { Secret } from './api-objects.ts';
import { parseSecret, parseListPage } from './object-parser.ts';
import { parseAnswer } from './parsed-answer.ts';

export interface WriteOptions {
  readonly fieldManager: string;
  readonly fieldValidation: 'Strict';
}

export interface SecretPage {
  readonly items: readonly Secret[];
  /** True when the API server holds more than it gave. */
  readonly truncated: boolean;
}

/** A Secret as it is sent: without what the API server assigns. */
export interface NewSecret {
  readonly metadata: { readonly name: string; readonly namespace: string } & Readonly<Record<string, unknown>>;
  readonly type: string;
  readonly immutable: boolean;
  readonly data: Readonly<Record<string, string>>;
}

/** CoreV1 Secrets, no more than the delivery role may do with them. */
export interface SecretsClient {
  read(namespace: string, name: string): Promise<Secret>;
  create(secret: NewSecret, options: WriteOptions): Promise<Secret>;
  replace(secret: Secret, options: WriteOptions): Promise<Secret>;
  delete(namespace: string, name: string, preconditions: { readonly uid: string; readonly resourceVersion: string }): Promise<void>;
  /** One consistent page, never from the watch cache. */
  list(namespace: string, options: { readonly labelSelector: string; readonly limit: number }): Promise<SecretPage>;
}

export function createSecretsClient(connection: ApiConnection): SecretsClient {
  return {
    async read(namespace, name) {
      const operation = `GET secrets/${name} in ${namespace}`;
      return parseAnswer(operation, parseSecret, await connection.call({ method: 'GET', path: secretPath(namespace, name), operation }));
    },
    async create(secret, options) {
      const { name, namespace } = secret.metadata;
      const operation = `POST secrets/${name} in ${namespace}`;
      const body = { apiVersion: 'v1', kind: 'Secret', ...secret };
      const answer = await connection.call({ method: 'POST', path: secretsPath(namespace), query: { ...options }, body, operation });
      return parseAnswer(operation, parseSecret, answer);
    },
    async replace(secret, options) {
      const { name, namespace } = secret.metadata;
      const operation = `PUT secrets/${name} in ${namespace}`;
      const answer = await connection.call({ method: 'PUT', path: secretPath(namespace, name), query: { ...options }, body: secret, operation });
      return parseAnswer(operation, parseSecret, answer);
    },
    async delete(namespace, name, preconditions) {
      await connection.call({
        method: 'DELETE',
        path: secretPath(namespace, name),
        body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions },
        operation: `DELETE secrets/${name} in ${namespace}`,
      });
    },
    async list(namespace, { labelSelector, limit }) {
      const operation = `LIST secrets in ${namespace}`;
      const query = { labelSelector, limit: String(limit) };
      const answer = await connection.call({ method: 'GET', path: secretsPath(namespace), query, operation });
      const page = parseAnswer(operation, parseListPage, answer);
      return {
        items: page.items.map((item) => parseAnswer(operation, parseSecret, item)),
        truncated: page.continueToken !== null,
      };
    },
  };
}

function secretsPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
}

function secretPath(namespace: string, name: string): string {
  return `${secretsPath(namespace)}/${encodeURIComponent(name)}`;
}
