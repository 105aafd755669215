/** The release path with short deadlines: `run-impatiently.ts REPORT [keep]`. Everything else is as ever. */
import { performRun } from '../../../cli/perform-run.ts';
import { K3sSubstrate } from '../k3s-substrate.ts';

const [reportPath, keep] = process.argv.slice(2);
if (reportPath === undefined) throw new TypeError('expected the path of a report');
process.exitCode = await performRun({ substrate: new K3sSubstrate({ pull: 'never', keepOnFailure: keep === 'keep', deadlines: { startedMs: 10_000, readyMs: 10_000 } }), reportPath });
