// Named places at which a test may kill the process, to prove that dying there loses nothing. Does nothing unless armed.

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
  if (armed.passes <= 0) process.kill(process.pid, 'SIGKILL');
}
