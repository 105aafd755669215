import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { describeError } from './describe-error.ts';
import { exitCodeOf, HarnessError } from './errors.ts';
import { toldAsFullDisk, type Room } from './full-disk.ts';
import { writtenTo } from './written-to.ts';

const RUN = join(tmpdir(), 'ql3-evidence-x');
const FULL: Room = { freeBytes: 0, bytes: 1_258_291_200, freeFiles: 500 };
const system = (code: string, more: object = {}): Error => Object.assign(new Error(`${code}: it takes nothing more, write`), { code, syscall: 'write', ...more });
const roomIn = (rooms: Readonly<Record<string, Room>>) => (folder: string): Room | null => rooms[folder] ?? { freeBytes: 9e9, bytes: 9e10, freeFiles: null };

describe('a disk that takes nothing more is told with a code, its folder, what is free and what to do', () => {
  for (const [name, error, folder] of [
    ['of an open file, which names no path', system('ENOSPC'), RUN],
    ['of a path', system('ENOSPC', { path: '/other/report.json' }), '/other'],
    ['of a copy, by where it was to go', system('ENOSPC', { path: '/from/a', dest: '/to/a' }), '/to'],
    ['below another error', new Error('could not', { cause: system('ENOSPC') }), RUN],
    ['of a process that died of it', new HarnessError('QL3_PLATFORM_DIED', 'expected the cluster to live, its last lines: uncaught: ENOSPC: no space left'), RUN],
    ['by PostgreSQL', Object.assign(new Error('could not extend file'), { code: '53100' }), RUN],
  ] as const) {
    test(name, () => {
      const told = toldAsFullDisk(error, ['/out', RUN], { roomIn: roomIn({ [RUN]: FULL, '/other': FULL, '/to': FULL }) });
      assert.equal(exitCodeOf(told), 3);
      const [first = '', ...rest] = describeError(told).split('\n');
      assert.ok(first.startsWith(`QL3_ENVIRONMENT: expected ${folder} to take what is written there, it was full: 0 bytes of 1.2 GiB are free; make room there`), first);
      assert.match(first, folder === RUN ? /set TMPDIR to a folder on another disk$/ : /write to a folder on another disk$/);
      assert.ok(rest.join('\n').includes(error.message), rest.join('\n'));
    });
  }

  test('of the file that was to be written, whatever temporary one the error is of', async () => {
    const error: unknown = await writtenTo('/out/report.json', () => Promise.reject(system('ENOSPC'))).catch((thrown: unknown) => thrown);
    assert.match(describeError(toldAsFullDisk(error, [RUN], { roomIn: roomIn({ '/out': FULL }) })), /^QL3_ENVIRONMENT: expected \/out to take/);
  });

  test('also where it is a quota, or read-only, or has no file more to give', () => {
    const told = (code: string, room: Room): string => describeError(toldAsFullDisk(system(code), [RUN], { roomIn: roomIn({ [RUN]: room }) }));
    assert.match(told('EDQUOT', { ...FULL, freeBytes: 4_096_000 }), /it was at its quota for this user: 3\.9 MiB of 1\.2 GiB are free by now;/);
    assert.match(told('EROFS', FULL), /it is mounted read-only;/);
    assert.match(told('ENOSPC', { ...FULL, freeBytes: 4_096_000, freeFiles: 0 }), /had no file left: 3\.9 MiB of 1\.2 GiB are free, and no file;/);
  });

  test('also when there is room again, since what died of it has left some', () => {
    const died = new HarnessError('QL3_PLATFORM_DIED', 'its last lines: ENOSPC: no space left on device, write');
    assert.match(describeError(toldAsFullDisk(died, [RUN], { roomIn: roomIn({ [RUN]: { ...FULL, freeBytes: 4_096_000 } }) })), /it was full: 3\.9 MiB of 1\.2 GiB are free by now; make room/);
  });

  test('and nothing else is: no other error, no disk elsewhere, nothing that a check has told', () => {
    for (const error of [new Error('x'), system('ECONNRESET'), new HarnessError('QL3_CONTRACT', 'the Engine said: no space left on device'), new HarnessError('QL3_ENVIRONMENT', 'make room', { cause: system('ENOSPC') }), 'text', undefined]) {
      assert.equal(toldAsFullDisk(error, [RUN], { isAllHere: false, roomIn: roomIn({}) }), error);
    }
  });
});
