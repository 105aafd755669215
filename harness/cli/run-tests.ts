/** `npm test`: every test file of the repository, or those named; the closing lines are node:test's own. */
import { spawn } from 'node:child_process';
import { glob } from 'node:fs/promises';

const named = process.argv.slice(2);
const files = named.length > 0 ? named : (await Array.fromAsync(glob('{evidence,auditor,harness,images}/**/*.test.ts'))).sort();
const child = spawn(process.execPath, ['--test', '--test-concurrency=2', '--test-reporter=spec', ...files], { stdio: 'inherit' });
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGTERM'));
// Whoever started this over IPC waits for it; when that one is killed, nobody reads the result.
process.on('disconnect', () => child.kill('SIGTERM'));
process.channel?.unref();
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
