/** `npm run record:bundle -- vN`: a signed bundle of a rehearsal of HEAD, for `evidence/fixtures/`. */
import { execa } from 'execa';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT, Workshop } from '../sabotage/workshop.ts';

const [version] = process.argv.slice(2);
if (version === undefined || !/^v\d+$/.test(version)) throw new TypeError('usage: record-fixture.ts vN');

using workshop = new Workshop();
const tree = await workshop.copyTree('recorded', AbortSignal.timeout(120_000));
const out = workshop.folder('out');
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const [report, bundle, key, publicPem] = ['report.json', 'bundle.tar', 'key.pem', 'public.pem'].map((name) => join(out, name)) as [string, string, string, string];
writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
writeFileSync(publicPem, publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o600, flag: 'wx' });
const inherited = { cwd: tree, stdin: 'ignore', stdout: 'inherit', stderr: 'inherit' } as const;
await execa(process.execPath, ['harness/cli/main.ts', 'rehearse', `--report=${report}`, `--bundle=${bundle}`, `--sign-key=${key}`], inherited);
await execa(process.execPath, ['auditor/cli/main.ts', `--report=${report}`, `--bundle=${bundle}`, `--public-key=${publicPem}`, '--profile=rehearsal'], inherited);
const name = join(ROOT, 'evidence', 'fixtures', `bundle-${version}-rehearsal`);
writeFileSync(`${name}.tar.gz`, gzipSync(readFileSync(bundle), { level: 9 }), { flag: 'wx' });
writeFileSync(`${name}.public.pem`, readFileSync(publicPem), { flag: 'wx' });
