import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { assertReportPath, ReportFileError, writeReport, type ReportFileErrorCode } from './report-file.ts';

const refused = (code: ReportFileErrorCode) => (error: unknown) => error instanceof ReportFileError && error.code === code;

describe('report file', () => {
  let folder = '';
  beforeEach(() => void (folder = mkdtempSync(join(realpathSync(tmpdir()), 'ql3-report-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is written whole, in canonical JSON, for its owner alone, and leaves nothing beside it', async () => {
    const path = join(folder, 'report.json');
    await writeReport(path, { b: 1, a: [true, null] });
    assert.equal(readFileSync(path, 'utf8'), '{"a":[true,null],"b":1}\n');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(path).nlink, 1);
    assert.deepEqual(readdirSync(folder), ['report.json']);
  });

  it('is mode 0600 whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await writeReport(join(folder, 'report.json'), {});
    } finally {
      process.umask(before);
    }
    assert.equal(statSync(join(folder, 'report.json')).mode & 0o777, 0o600);
  });

  it('never overwrites, and writes no half of a value that has no JSON', async () => {
    const path = join(folder, 'report.json');
    await assert.rejects(writeReport(path, { x: Number.NaN }), TypeError);
    assert.deepEqual(readdirSync(folder), []);
    writeFileSync(path, 'mine');
    await assert.rejects(writeReport(path, {}), refused('REPORT_EXISTS'));
    assert.equal(readFileSync(path, 'utf8'), 'mine');
  });

  it('lets one of two writers win', async () => {
    const path = join(folder, 'report.json');
    const ends = await Promise.allSettled([writeReport(path, { writer: 1 }), writeReport(path, { writer: 2 })]);
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.deepEqual(readdirSync(folder), ['report.json']);
  });

  it('refuses paths before anything is started', () => {
    mkdirSync(join(folder, 'real'), { mode: 0o700 });
    mkdirSync(join(folder, 'shared'));
    chmodSync(join(folder, 'shared'), 0o770);
    symlinkSync(join(folder, 'real'), join(folder, 'linked'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'real', 'dangling.json'));
    mkdirSync(join(folder, 'real', 'below'));
    writeFileSync(join(folder, 'file'), '');
    const cases: readonly [string, ReportFileErrorCode][] = [
      ['report.json', 'REPORT_PATH_NOT_ABSOLUTE'],
      [`${folder}/real/../report.json`, 'REPORT_PATH_NOT_ABSOLUTE'],
      [`${folder}/real/`, 'REPORT_PATH_NOT_ABSOLUTE'],
      [join(folder, 'absent', 'report.json'), 'REPORT_PARENT_MISSING'],
      [join(folder, 'file', 'report.json'), 'REPORT_PARENT_NOT_A_FOLDER'],
      [join(folder, 'linked', 'report.json'), 'REPORT_PARENT_LINKED'],
      [join(folder, 'linked', 'below', 'report.json'), 'REPORT_PARENT_LINKED'],
      [join(folder, 'shared', 'report.json'), 'REPORT_PARENT_SHARED'],
      [join(folder, 'real', 'dangling.json'), 'REPORT_EXISTS'],
      [join(folder, 'real', 'below'), 'REPORT_EXISTS'],
    ];
    for (const [path, code] of cases) assert.throws(() => assertReportPath(path), refused(code), path);
    assertReportPath(join(folder, 'real', 'report.json'));
  });
});
