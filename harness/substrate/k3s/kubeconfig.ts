import { KubeConfig } from '@kubernetes/client-node';
import { writeFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';

interface KubeconfigFile {
  readonly clusters: readonly { readonly name: string; readonly cluster: { server: string } }[];
}

/** The cluster's own kubeconfig, with the address under which this machine reaches it. */
export async function writeKubeconfig(path: string, text: string, port: number): Promise<KubeConfig> {
  const file = parse(text) as KubeconfigFile;
  for (const { cluster } of file.clusters) cluster.server = `https://127.0.0.1:${port}`;
  await writeFile(path, stringify(file), { mode: 0o600, flag: 'wx' });
  const config = new KubeConfig();
  config.loadFromFile(path);
  return config;
}
