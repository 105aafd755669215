import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { keyIdOf } from '../../evidence/dsse.ts';
import { command } from '../cli/commands/audit.ts';
import { readFences } from './fences.ts';
import { readMarkdown } from './markdown.ts';

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'no openssl here';

describe('the id of a key', { skip }, () => {
  const documented = readFences(readMarkdown('docs/reading-a-report.md')).map(({ text }) => text).filter((text) => text.includes('sha256sum'));

  for (const { publicKey } of [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]) {
    test(`${publicKey.asymmetricKeyType}: what docs/reading-a-report.md lets a reader type prints what signing and auditing tell`, () => {
      const home = mkdtempSync(join(tmpdir(), 'ql3-key-id-'));
      mkdirSync(join(home, 'ql3'));
      writeFileSync(join(home, 'ql3', 'signer.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
      const printed = execFileSync('bash', ['-c', documented.join('\n')], { encoding: 'utf8', env: { ...process.env, HOME: home } });
      rmSync(home, { recursive: true });
      assert.equal(printed, `${keyIdOf(publicKey)}  -\n`);
    });
  }

  test('the help of the audit says the same command', () => {
    assert.equal(documented.length, 1);
    assert.ok(command.description.join('\n').includes((documented[0] as string).trim().replace('$HOME/ql3/signer.pem', 'KEY')));
  });
});
