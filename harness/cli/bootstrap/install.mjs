/** Installs the locked dependencies, once for however many first runs begin together. Runs on Node 20.19. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ENVIRONMENT_UNFIT, modules, root, say } from './place.mjs';
import { identityOf, isRunning } from './process-identity.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const STALE_PREFIX = 'stale-';
const LOCK_DEADLINE_MS = 600_000;
const REDRAW_MS = 1_000;
const ERASE_LINE = '\r\u001b[2K';
const stamp = join(modules, '.ql3-installed');

function lockDigest() {
  return createHash('sha256').update(readFileSync(join(root, 'pnpm-lock.yaml'))).digest('hex');
}

export function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockDigest();
}

/**
 * A lock folder that holds who owns it: two first runs in one clone must not install over each other. It appears with its
 * owner in it, by rename, which fails while another one is there.
 */
export async function installOnce() {
  const base = join(root, '.work');
  const lock = join(base, 'install.lock');
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const own = mkdtempSync(join(base, 'install-'));
  writeFileSync(join(own, 'owners'), identityOf(process.pid));
  const deadlineAt = Date.now() + LOCK_DEADLINE_MS;
  try {
    for (let told = false; !tryRename(own, lock); ) {
      const owners = readOwners(lock);
      if (owners !== null && !owners.some(isRunning)) {
        removeStaleLock(base, lock, owners);
        continue;
      }
      if (isInstalled()) return;
      if (!told) say('waiting for another first run in this folder, which is installing the dependencies');
      told = true;
      if (Date.now() > deadlineAt) {
        say(`QL3_INSTALL_LOCKED: expected the other first run (process ${owners?.join(', ') ?? 'unknown'}) to have installed the dependencies within ${LOCK_DEADLINE_MS / 60_000} minutes; end it, remove ${lock}, and try again`);
        rmSync(own, { recursive: true, force: true });
        process.exit(ENVIRONMENT_UNFIT);
      }
      await delay(200);
    }
    try {
      if (!isInstalled()) await install(lock, own);
    } finally {
      removeStaleLocks(base);
      releaseLock(lock, own);
    }
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function tryRename(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

/** In one step: a lock that is emptied before it goes could be taken by another in between, who would then lose it. */
function releaseLock(lock, own) {
  try {
    renameSync(lock, own);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  rmSync(own, { recursive: true, force: true });
}

/** In one step: whoever reads nobody's name on it takes a lock for a dead one's. */
function writeOwners(lock, owners) {
  const fresh = join(lock, 'owners.new');
  writeFileSync(fresh, owners.join('\n'));
  renameSync(fresh, join(lock, 'owners'));
}

/** The owners of the lock, or null when it has just gone. */
function readOwners(lock) {
  try {
    return readFileSync(join(lock, 'owners'), 'utf8').split('\n');
  } catch {
    return null;
  }
}

/**
 * Takes the dead one's lock out of the way, to a place that is named after its owners and stays until the next install is done:
 * whoever has read the same dead owners and comes later finds that place taken, and cannot carry off a lock that lives.
 */
function removeStaleLock(base, lock, owners) {
  try {
    renameSync(lock, join(base, `${STALE_PREFIX}${createHash('sha256').update(owners.join()).digest('hex').slice(0, 16)}`));
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  }
}

function removeStaleLocks(base) {
  for (const name of readdirSync(base)) if (name.startsWith(STALE_PREFIX)) rmSync(join(base, name), { recursive: true, force: true, maxRetries: 3 });
}

/** The installer is an owner of the lock as well: should this process be killed, nobody else begins before it has ended. */
async function install(lock, own) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  say(`installing the locked dependencies with ${packageManager} (once; about a minute)`);
  const startedAt = Date.now();
  const installer = spawn('npx', ['--yes', packageManager, 'install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: 'true', npm_config_update_notifier: 'false' },
  });
  if (installer.pid !== undefined) writeOwners(lock, [identityOf(process.pid), identityOf(installer.pid)]);
  const output = fold(installer, startedAt);
  let interruptedBy = null;
  const pass = (signal) => {
    interruptedBy = signal;
    installer.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  const reason = await new Promise((resolve) => {
    installer.once('error', (error) => resolve(error.message));
    installer.once('close', (code, signal) => resolve(code === 0 ? null : `exit code ${code ?? signal}`));
  });
  for (const signal of SIGNALS) process.removeListener(signal, pass);
  output.end();
  if (interruptedBy !== null) {
    releaseLock(lock, own);
    process.kill(process.pid, interruptedBy);
  }
  if (reason !== null) {
    process.stderr.write(output.text());
    say(`QL3_INSTALL_FAILED: expected \`npx ${packageManager} install --frozen-lockfile\` to succeed, got ${reason}; see its output above, check that the npm registry can be reached, and try again`);
    releaseLock(lock, own);
    process.exit(ENVIRONMENT_UNFIT);
  }
  const fresh = `${stamp}.${process.pid}`;
  writeFileSync(fresh, lockDigest());
  renameSync(fresh, stamp);
  say(`installed in ${seconds(startedAt)}`);
}

/** What the installer says is kept for the case that it fails; a terminal shows its last line meanwhile, in place. */
function fold(installer, startedAt) {
  const chunks = [];
  let last = '';
  for (const stream of [installer.stdout, installer.stderr]) {
    stream.on('data', (chunk) => {
      chunks.push(chunk);
      last = String(chunk).trim().split('\n').at(-1) || last;
    });
  }
  const draw = () => {
    const line = `  ${seconds(startedAt)}  ${last}`.replace(/[^\x20-\x7e]/g, '');
    process.stderr.write(`${ERASE_LINE}${line.slice(0, (process.stderr.columns || 80) - 1)}`);
  };
  const drawing = process.stderr.isTTY && process.stderr.hasColors() ? setInterval(draw, REDRAW_MS) : undefined;
  return {
    text: () => Buffer.concat(chunks).toString(),
    end: () => {
      if (drawing === undefined) return;
      clearInterval(drawing);
      process.stderr.write(ERASE_LINE);
    },
  };
}

function seconds(since) {
  return `${Math.round((Date.now() - since) / 1000)} s`;
}
