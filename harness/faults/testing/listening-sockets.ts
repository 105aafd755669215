import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** The port of every TCP socket that listens on this machine, by the socket's inode: ports are used again, inodes are not while anybody holds one. */
export function listeningSockets(): ReadonlyMap<string, number> {
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => readFileSync(table, 'utf8').trim().split('\n').slice(1));
  return new Map(
    lines.flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      return state === LISTENING ? [[inode, Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)] as const] : [];
    }),
  );
}

/** Those that one of the processes holds. */
export function listeningSocketsOf(pids: readonly number[]): ReadonlyMap<string, number> {
  const held = new Set(pids.flatMap(socketsOf));
  return new Map([...listeningSockets()].filter(([inode]) => held.has(inode)));
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1] ?? [];
      } catch {
        return []; // it was closed meanwhile
      }
    });
  } catch {
    return []; // it has just ended
  }
}
