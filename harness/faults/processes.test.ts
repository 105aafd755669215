import { describe, test } from 'node:test';
import { CommandProcess } from '../cli/testing/command-process.ts';
import { assertFailed, REHEARSE, watchForLeavings } from './testing/expectations.ts';

/** A process dies that the contract needs. The run must say which, and soon. */
interface Death {
  readonly of: string;
  readonly when: string;
  /** A part of its arguments. */
  readonly named: string;
  /** It is not there yet when that is said. */
  readonly comesLater?: true;
  readonly message: RegExp;
}

const ENDED_BY_ITSELF = (container: string): RegExp => new RegExp(`expected container ${container} .* to run until its Pod is deleted, it ended unasked`);

const DEATHS: readonly Death[] = [
  { of: 'the supervisor of cluster and database', when: 'generation 1 is issued', named: 'embedded/main.ts', message: /QL3_PLATFORM_DIED: .*SIGKILL/ },
  { of: 'PostgreSQL', when: 'generation 2 is rotated', named: 'bin/postgres\0-D', message: /QL3_PLATFORM_DIED: expected PostgreSQL to live as long as the run/ },
  { of: 'the actor', when: 'generation 2 is rotated', named: '/app/actor.mjs\0run', message: ENDED_BY_ITSELF('worker') },
  { of: 'the executor of the first Job', when: 'generation 3 is rotated', named: '/app/executor.mjs', comesLater: true, message: /executor/ },
  { of: 'Cluster Control', when: 'the production Worker opens session 1', named: '/app/control.mjs', message: ENDED_BY_ITSELF('control') },
  { of: 'the production Worker', when: 'generation 4 is rotated', named: '/app/worker.mjs', message: ENDED_BY_ITSELF('worker') },
];

describe('a rehearsal fails and says so when there dies', { concurrency: 2, skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  for (const { of, when, named, comesLater = false, message } of DEATHS) {
    test(`${of}, when "${when}"`, async () => {
      await using run = new CommandProcess(REHEARSE, comesLater ? {} : { holdAt: [when] });
      await run.said(when);
      const pid = await run.stoppedThatComes(named);
      const leavings = watchForLeavings(run);
      process.kill(pid, 'SIGKILL');
      run.goOn();
      await assertFailed(run, { message, leavings });
    });
  }
});
