/** Programs of test images. Each prints a line when it is ready to be dealt with, because a signal before that would end it. */

/** Ends with exit code 0 on SIGTERM. */
export const POLITE = `
const handle = setInterval(() => {}, 60_000);
process.on('SIGTERM', () => { console.log('SIGTERM'); clearInterval(handle); });
console.log('ready', process.argv.slice(2).join(' '));
`;

/** Does not end on SIGTERM, and has a child that does not either; the child holds the same output and prints both pids. */
export const STUBBORN = `
import { spawn } from 'node:child_process';
process.on('SIGTERM', () => console.log('SIGTERM ignored'));
setInterval(() => {}, 60_000);
const child = "process.on('SIGTERM', () => {}); setInterval(() => {}, 60000); console.log('ready', process.ppid, process.pid)";
spawn(process.execPath, ['-e', child], { stdio: 'inherit' });
`;

/** Prints its arguments and ends with the exit code that EXIT_CODE says. */
export const ONE_SHOT = `
console.log(process.argv.slice(2).join(' '));
process.exitCode = Number(process.env.EXIT_CODE ?? 0);
`;
