import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { CLAIMS, CONFIG_MAPS, PODS, SECRETS, VOLUMES } from '../../controllers/runtime/kinds.ts';
import { EmbeddedNode } from '../testing/embedded-node.ts';
import { POLITE } from '../testing/programs.ts';

const KEEP = 'setInterval(() => {}, 60000);';

describe("a Pod's volumes", () => {
  let node: EmbeddedNode;
  before(async () => {
    node = await EmbeddedNode.start({ images: { 'app:1': { 'app/main.mjs': POLITE } }, timing: { sizeCheckMs: 50 } });
    await node.create(SECRETS, 'default', { metadata: { name: 'identity' }, stringData: { 'tls.key': 'key', 'ca.crt': 'ca' } });
    await node.create(CONFIG_MAPS, 'default', { metadata: { name: 'settings' }, data: { 'capabilities.json': '{}' } });
  });
  after(() => node[Symbol.asyncDispose]());

  const podOf = (script: string, volumes: object[], mounts: object[]): Record<string, unknown> => ({
    restartPolicy: 'Never',
    volumes,
    containers: [{ name: 'main', image: 'app:1', command: ['node', '-e', script], volumeMounts: mounts }],
  });

  async function outputOf(name: string, spec: Record<string, unknown>): Promise<string> {
    await node.create(PODS, 'default', { metadata: { name, labels: { app: name } }, spec });
    const pod = await node.waitForPod('default', name, (seen) => seen.status?.phase === 'Succeeded' || seen.status?.phase === 'Failed');
    return node.log(pod, 'main');
  }

  it('project Secrets, ConfigMaps, fields and tokens side by side, with their modes', async () => {
    const script = `
      const fs = require('fs');
      const mode = (path) => (fs.statSync(path).mode & 0o777).toString(8);
      for (const name of ['tls.key', 'settings/capabilities.json', 'labels', 'token']) console.log(name, mode('/identity/' + name));
      console.log(fs.readFileSync('/identity/labels', 'utf8'), fs.readFileSync('/identity/tls.key', 'utf8'));
      console.log(JSON.parse(Buffer.from(fs.readFileSync('/identity/token', 'utf8').split('.')[1], 'base64url')).aud);
    `;
    const sources = [
      { secret: { name: 'identity', items: [{ key: 'tls.key', path: 'tls.key', mode: 0o400 }] } },
      { configMap: { name: 'settings', items: [{ key: 'capabilities.json', path: 'settings/capabilities.json' }] } },
      { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
      { serviceAccountToken: { path: 'token', expirationSeconds: 600, audience: 'test-audience' } },
    ];
    const volumes = [{ name: 'identity', projected: { defaultMode: 0o440, sources } }];
    const output = await outputOf('projected', podOf(script, volumes, [{ name: 'identity', mountPath: '/identity' }]));
    assert.equal(output, "tls.key 400\nsettings/capabilities.json 440\nlabels 440\ntoken 440\napp=\"projected\" key\n[ 'test-audience' ]\n");
  });

  it('follow their Secret', async () => {
    await node.create(SECRETS, 'default', { metadata: { name: 'rotating' }, stringData: { token: 'one' } });
    const script = `
      const fs = require('fs');
      fs.watch('/secret', () => { const now = fs.readFileSync('/secret/token', 'utf8'); if (now !== 'one') { console.log('changed to', now); process.exit(0); } });
      console.log('ready', fs.readFileSync('/secret/token', 'utf8'));
    `;
    const { pod } = await node.readyPod('following', podOf(script, [{ name: 'secret', secret: { secretName: 'rotating' } }], [{ name: 'secret', mountPath: '/secret' }]));
    const secret = await node.client.get(SECRETS, 'default', 'rotating');
    if (secret !== null) await node.client.patch(SECRETS, secret, { stringData: { token: 'two' } });
    assert.equal(await node.log(pod, 'main'), 'ready one\nchanged to two\n');
  });

  it('keep a Pod from starting until what they need is there', async () => {
    const items = [{ key: 'credential-token', path: 'credential-token' }];
    await node.create(SECRETS, 'default', { metadata: { name: 'prepared' } });
    const spec = podOf("console.log(require('fs').readFileSync('/c/credential-token', 'utf8'))", [{ name: 'c', secret: { secretName: 'prepared', items } }], [{ name: 'c', mountPath: '/c' }]);
    const output = outputOf('expectant', spec);
    await node.waitForEvent('expectant', 'FailedMount', 'references non-existent secret key: credential-token');
    const secret = await node.client.get(SECRETS, 'default', 'prepared');
    if (secret !== null) await node.client.patch(SECRETS, secret, { stringData: { 'credential-token': 'now' } });
    assert.equal(await output, 'now\n');
  });

  it('evict the Pod when an emptyDir outgrows its limit', async () => {
    const script = `require('fs').writeFileSync('/scratch/big', Buffer.alloc(5 * 2 ** 20)); ${KEEP}`;
    const spec = podOf(script, [{ name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '4Mi' } }], [{ name: 'scratch', mountPath: '/scratch' }]);
    await node.create(PODS, 'default', { metadata: { name: 'greedy' }, spec });
    const pod = await node.waitForPod('default', 'greedy', (seen) => seen.status?.phase === 'Failed');
    assert.deepEqual([pod.status?.reason, pod.status?.message], ['Evicted', 'Usage of EmptyDir volume "scratch" exceeds the limit "4Mi". ']);
  });

  it('bind a claim when its first Pod comes, and keep its files from Pod to Pod until the claim goes', async () => {
    await node.create(CLAIMS, 'default', {
      metadata: { name: 'state' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } },
    });
    const volumes = [{ name: 'state', persistentVolumeClaim: { claimName: 'state' } }];
    const mounts = [{ name: 'state', mountPath: '/state' }];
    const script = "const fs = require('fs'); fs.appendFileSync('/state/log', process.env.HOSTNAME + ' '); console.log(fs.readFileSync('/state/log', 'utf8'))";
    assert.equal(await outputOf('one', podOf(script, volumes, mounts)), 'one \n');
    const bound = await node.waitFor(CLAIMS, 'default', 'state', (claim) => claim?.status?.phase === 'Bound');
    assert.equal(await outputOf('two', podOf(script, volumes, mounts)), 'one two \n');
    const after = await node.waitFor(CLAIMS, 'default', 'state', () => true);
    assert.deepEqual([after.metadata.uid, after.spec.volumeName], [bound.metadata.uid, `pvc-${bound.metadata.uid}`]);
    const volume = await node.waitFor(VOLUMES, '', bound.spec.volumeName ?? '', (seen) => seen?.status?.phase === 'Bound');
    await node.client.delete(CLAIMS, after);
    await node.waitForGone(VOLUMES, '', volume.metadata.name);
    await assert.rejects(stat(volume.spec.hostPath?.path ?? ''), { code: 'ENOENT' });
  });
});
