/**
 * A run of which nothing is real but what is shown of it: `pretend-run.ts REPORT HOW`. It performs a run on a substrate that
 * waits, fails, or is killed, and so shows on a terminal what every run shows.
 */
import { performRun } from '../../cli/perform-run.ts';
import { HarnessError } from '../../run/errors.ts';
import type { StartContext, StartedSubstrate, Substrate } from '../../substrate/substrate.ts';
import { expecting } from '../activity.ts';

const [reportPath = '', how = 'wait'] = process.argv.slice(2);

class PretendSubstrate implements Substrate {
  readonly kind = 'k3s';

  async start({ signal, spans, ...context }: StartContext): Promise<StartedSubstrate> {
    context.say('a line \u001b]0;of another\u0007 that stays');
    return await spans.measure('have the k3s image', () =>
      expecting({ expected: 'the Engine to pull rancher/k3s', deadlineMs: 90_000 }, async (wait) => {
        wait.saw('1 of 3 layers, 5.0 of 20.0 MiB \u001b[?25l\u001b[?1049h');
        await new Promise((_, reject) => {
          const timer = setTimeout(() => end(), how === 'fail' ? 300 : 60_000);
          const end = (): void => {
            clearTimeout(timer);
            reject(signal.aborted ? (signal.reason as Error) : new HarnessError('QL3_ENVIRONMENT', 'expected the Engine to have the image, got none'));
          };
          signal.addEventListener('abort', end, { once: true });
        });
        throw new TypeError('unreachable');
      }),
    );
  }
}

process.exitCode = await performRun({ substrate: new PretendSubstrate(), reportPath });
