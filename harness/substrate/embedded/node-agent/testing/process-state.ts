import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const DEADLINE_MS = 20_000;

/**
 * Resolves when none of the processes runs any more. One that has ended but was not collected by its parent (a zombie) does not.
 * What was killed closes its outputs a moment before it has ended, and nobody but its parent is told of that.
 */
export async function untilEnded(...pids: readonly number[]): Promise<void> {
  const deadlineAt = performance.now() + DEADLINE_MS;
  for (let left = pids.filter(isAlive); left.length > 0; left = left.filter(isAlive)) {
    if (performance.now() > deadlineAt) throw new Error(`expected processes ${left.join(', ')} to end within ${DEADLINE_MS} ms`);
    await delay(5);
  }
}

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}
