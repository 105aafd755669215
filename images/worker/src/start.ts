import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseProgram } from '../../core/choose-program.ts';

const PROGRAMS = {
  worker: 'the production Worker',
  init: 'the init container that gives a Pod its authority and its state folders',
  actor: 'the bounded actor of a rollout rehearsal',
};

/** What the image starts when its command is not set, as by `docker run`: one of its programs, in this process. */
const { name, args, preface } = chooseProgram('Qinglong 3 Worker', PROGRAMS, process.argv.slice(2));
process.stdout.write(preface);
const program = new URL(`${name}${extname(import.meta.url)}`, import.meta.url);
process.argv.splice(1, process.argv.length, fileURLToPath(program), ...args);
await import(program.href);
