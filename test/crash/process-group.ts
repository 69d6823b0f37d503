// The living processes of a group, read from /proc: the server is started as the leader of one, so whatever it leaves
// behind is found even when its parent is gone. Zombies do not count: nobody may be there to reap them.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export function groupMembers(groupId: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => groupOf(pid) === groupId);
}

function groupOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything, spaces and parentheses too.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? null : Number(group);
  } catch {
    return null;
  }
}

export async function groupEnded(groupId: number, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (groupMembers(groupId).length > 0) {
    if (Date.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}
