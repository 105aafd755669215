import {
  AppsV1Api,
  BatchV1Api,
  CoreV1Api,
  createConfiguration,
  KubeConfig,
  KubernetesObjectApi,
  NetworkingV1Api,
  ServerConfiguration,
  VersionApi,
  type ApiType,
  type Configuration,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { patientHttp } from './patient-http.ts';

/** The run's own access as a cluster administrator: what operators would do with kubectl. The product never gets these. */
export interface ClusterClients {
  readonly config: KubeConfig;
  readonly core: CoreV1Api;
  readonly apps: AppsV1Api;
  readonly batch: BatchV1Api;
  readonly networking: NetworkingV1Api;
  readonly version: VersionApi;
  readonly objects: KubernetesObjectApi;
  /** What was created through these clients, as it was rendered, in that order. */
  readonly created: KubernetesObject[];
}

/** Requests in flight end with the signal; without one they end by their own deadline only. */
export function connectToCluster(kubeconfigPath: string, signal?: AbortSignal): ClusterClients {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigPath);
  return clientsOf(config, signal);
}

function clientsOf(config: KubeConfig, signal?: AbortSignal): ClusterClients {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new TypeError('expected a kubeconfig with a current cluster');
  const httpApi = patientHttp(signal);
  const make = <T extends ApiType>(api: new (configuration: Configuration) => T): T =>
    new api(createConfiguration({ baseServer: new ServerConfiguration(server, {}), authMethods: { default: config }, httpApi }));
  return {
    config,
    core: make(CoreV1Api),
    apps: make(AppsV1Api),
    batch: make(BatchV1Api),
    networking: make(NetworkingV1Api),
    version: make(VersionApi),
    objects: make(KubernetesObjectApi),
    created: [],
  };
}

/** The same cluster under another name (`Impersonate-User`), so that the API server authorises and logs that name. */
export function impersonate(config: KubeConfig, user: string): KubeConfig {
  const impersonating = new KubeConfig();
  const cluster = config.getCurrentCluster();
  const current = config.getCurrentUser();
  if (cluster === null || current === null) throw new TypeError('expected a kubeconfig with a current cluster and user');
  impersonating.loadFromOptions({
    clusters: [cluster],
    users: [{ ...current, name: user, impersonateUser: user }],
    contexts: [{ name: user, cluster: cluster.name, user }],
    currentContext: user,
  });
  return impersonating;
}
