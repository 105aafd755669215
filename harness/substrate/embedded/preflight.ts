import { assertFit } from '../../doctor/assert-fit.ts';
import { diskTemporary } from '../../doctor/checks/disk-temporary.ts';
import { loopback } from '../../doctor/checks/loopback.ts';
import { memory } from '../../doctor/checks/memory.ts';
import { postgresAccount } from '../../doctor/checks/postgres-account.ts';
import { temporaryFolder } from '../../doctor/checks/temporary-folder.ts';
import { umask } from '../../doctor/checks/umask.ts';

/** What can be known in a moment, before anything is started; `doctor` looks at the rest too. */
export async function checkMachine(): Promise<void> {
  await assertFit([temporaryFolder, umask, diskTemporary, memory, loopback, postgresAccount], { substrates: ['embedded'] });
}
