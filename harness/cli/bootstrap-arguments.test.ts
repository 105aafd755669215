import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const BOOTSTRAP = new URL('bootstrap.mjs', import.meta.url).pathname;

function bootstrap(args: readonly string[], env: NodeJS.ProcessEnv = {}): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [BOOTSTRAP, ...args], { encoding: 'utf8', env: { ...process.env, ...env } });
}

test('an option that npm took for itself is not lost in silence', () => {
  const { status, stdout, stderr } = bootstrap(['rehearse'], { npm_config_report: '/tmp/new.json' });
  assert.equal(status, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /QL3_USAGE: .*npm run rehearse -- --report=/);
});

test('the separator that pnpm passes on is no argument, and each command has its help', () => {
  for (const command of ['rehearse', 'run', 'audit', 'preflight', 'clean']) {
    const { status, stdout, stderr } = bootstrap([command, '--', '--help']);
    assert.equal(status, 0, command);
    assert.equal(stdout, '', command);
    assert.match(stderr, /^usage: /, command);
  }
});

test('an unknown command is refused with the known ones', () => {
  const { status, stderr } = bootstrap(['rehears']);
  assert.equal(status, 2);
  assert.match(stderr, /did you mean rehearse\?.*rehearse, run, audit/);
});

test('npm’s own settings are no options that were lost, and one that was given counts', () => {
  for (const args of [['clean', '--help', '--json'], ['help', 'clean']]) assert.equal(bootstrap(args, { npm_config_json: 'true' }).status, 0);
  const { status, stderr } = bootstrap(['clean'], { npm_config_dry_run: 'true' });
  assert.equal(status, 2);
  assert.match(stderr, /npm run clean -- --dry-run`/);
});
