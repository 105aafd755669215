import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { programPod } from './pod-programs.ts';
import { WatchStream } from './watch-stream.ts';

const SUCCEEDED = ({ status }: V1Pod) => status?.phase === 'Succeeded';

export function checkVolumes(cluster: ClusterUnderTest): void {
  const { api } = cluster;

  test('a claim is bound on its first use, and keeps its contents from Pod to Pod', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}`;
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'state' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } };
    const { body: pending } = await api.create<V1PersistentVolumeClaim>(`${path}/persistentvolumeclaims`, claim);
    assert.ok(pending.spec?.storageClassName, 'there is a default StorageClass');
    using pods = await WatchStream.open<V1Pod>(api, `${path}/pods`);
    using claims = await WatchStream.open<V1PersistentVolumeClaim>(api, `${path}/persistentvolumeclaims`);
    const volume = { volumes: [{ name: 'state', persistentVolumeClaim: { claimName: 'state' } }], securityContext: { runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 } };
    const mount = { volumeMounts: [{ name: 'state', mountPath: '/state' }] };
    await api.create(`${path}/pods`, programPod(cluster, 'a', "import { appendFileSync } from 'node:fs'; appendFileSync('/state/log', 'one\\n');", volume, mount));
    await pods.untilObject('the first Pod to end', (pod) => pod.metadata?.name === 'a' && SUCCEEDED(pod));
    const bound = await claims.untilObject('a bound claim', ({ status }) => status?.phase === 'Bound');
    const { body: persistent } = await api.get<V1PersistentVolume>(`/api/v1/persistentvolumes/${bound.spec?.volumeName}`);
    assert.deepEqual([persistent.spec?.claimRef?.uid, persistent.status?.phase], [bound.metadata?.uid, 'Bound']);
    await api.delete(`${path}/pods/a`);
    await api.create(`${path}/pods`, programPod(cluster, 'b', "import { readFileSync } from 'node:fs'; process.stdout.write(readFileSync('/state/log'));", volume, mount));
    await pods.untilObject('the second Pod to end', (pod) => pod.metadata?.name === 'b' && SUCCEEDED(pod));
    assert.equal((await api.get<string>(`${path}/pods/b/log`)).body, 'one\n');
  });

  test('a projected volume holds Secrets, ConfigMaps, fields and a token, with the modes that were asked for', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const path = `/api/v1/namespaces/${namespace}`;
    await api.create(`${path}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { x: 'secret', unused: 'no' } });
    const sources = [
      { secret: { name: 's', items: [{ key: 'x', path: 'folder/x' }] } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
      { serviceAccountToken: { path: 'token', expirationSeconds: 600 } },
    ];
    const program = `
      import { readdirSync, readFileSync, statSync } from 'node:fs';
      const read = (name) => readFileSync('/all/' + name, 'utf8');
      const claims = JSON.parse(Buffer.from(read('token').split('.')[1], 'base64url'));
      console.log(JSON.stringify({
        x: read('folder/x'), namespace: read('namespace'), isCa: read('ca.crt').startsWith('-----BEGIN CERTIFICATE'), names: readdirSync('/all').filter((name) => !name.startsWith('..')).sort(),
        mode: (statSync('/all/folder/x').mode & 0o777).toString(8), sub: claims.sub, pod: claims['kubernetes.io'].pod, life: claims.exp - claims.iat,
      }));`;
    using pods = await WatchStream.open<V1Pod>(api, `${path}/pods`);
    const volumes = [{ name: 'all', projected: { defaultMode: 0o440, sources } }];
    await api.create(`${path}/pods`, programPod(cluster, 'a', program, { volumes, securityContext: { runAsUser: 65532, fsGroup: 65532 } }, { volumeMounts: [{ name: 'all', mountPath: '/all', readOnly: true }] }));
    const { metadata } = await pods.untilObject('an ended Pod', SUCCEEDED);
    const seen = JSON.parse((await api.get<string>(`${path}/pods/a/log`)).body) as { life: number };
    assert.deepEqual(seen, {
      x: 'secret', namespace, isCa: true, names: ['ca.crt', 'folder', 'namespace', 'token'], mode: '440',
      sub: `system:serviceaccount:${namespace}:default`, pod: { name: 'a', uid: metadata?.uid }, life: seen.life,
    });
    assert.ok(seen.life >= 600 && seen.life <= 608, `a projected token lives for what was asked, give or take the API server's leap: ${seen.life}`);
  });

  test('a Pod waits for a Secret\'s key, and starts when it is there', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}`;
    await api.create(`${path}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
    using pods = await WatchStream.open<V1Pod>(api, `${path}/pods`);
    const volumes = [{ name: 's', projected: { sources: [{ secret: { name: 's', items: [{ key: 'x', path: 'x' }] } }] } }];
    await api.create(`${path}/pods`, programPod(cluster, 'a', "import { readFileSync } from 'node:fs'; console.log(readFileSync('/s/x', 'utf8'));", { volumes }, { volumeMounts: [{ name: 's', mountPath: '/s' }] }));
    await pods.untilObject('a waiting Pod', ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ContainerCreating');
    await api.patch(`${path}/secrets/s`, { stringData: { x: 'late' } });
    await pods.untilObject('an ended Pod', SUCCEEDED, 150_000);
    assert.equal((await api.get<string>(`${path}/pods/a/log`)).body, 'late\n');
  });

  test('every Namespace has the cluster\'s CA', async (context) => {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/configmaps`;
    using watch = await WatchStream.open<{ metadata: { name: string }; data?: Record<string, string> }>(api, path);
    const { data } = await watch.untilObject('kube-root-ca.crt', ({ metadata }) => metadata.name === 'kube-root-ca.crt');
    assert.match(data?.['ca.crt'] ?? '', /BEGIN CERTIFICATE/);
  });
}
