// Named places at which a test may kill the process, to prove that dying there loses nothing. Does nothing unless armed.
import { writeSync } from 'node:fs';

let armed: { name: string; passes: number } | null = null;

/** `name` or `name@n`: dies at the n-th pass (1 by default). */
export function armFailpoint(spec: string | undefined): void {
  if (!spec) return;
  const [name = '', passes = '1'] = spec.split('@');
  armed = { name, passes: Number(passes) };
}

export function failpoint(name: string): void {
  if (armed?.name !== name) return;
  armed.passes -= 1;
  if (armed.passes > 0) return;
  // Written at once, so that this death can be told from any other.
  writeSync(2, `died at failpoint ${name}\n`);
  process.kill(process.pid, 'SIGKILL');
}
