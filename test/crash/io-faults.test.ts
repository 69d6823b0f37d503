// A disk that fails under the running service: a short list of the calls and errors that matter most.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FaultCase, nameOf, runFaultCase } from './fault-cases.ts';
import { skipWithoutStrace } from './strace.ts';

const log = 'tintype.db-wal';

/** `inJobs`: nobody waits for the work that meets it, and it is done again. */
const cases: (FaultCase & { inJobs?: true })[] = [
  { call: 'fsync', error: 'EIO', when: '1' },
  { call: 'fsync', error: 'EIO', when: '2' },
  { call: 'fsync', error: 'EIO', when: '1', file: log },
  { call: 'pwrite64,pwritev', error: 'ENOSPC', when: '1' },
  { call: 'pwrite64,pwritev', error: 'ENOSPC', when: '1+' },
  { call: 'pwrite64', error: 'ENOSPC', when: '1', file: log },
  { call: 'pwrite64', error: 'EIO', when: '3', file: log },
  { call: '/^openat$', error: 'EMFILE', when: '2' },
  { call: '/^rename(at2?)?$', error: 'EIO', when: '1', inJobs: true },
  { call: '/^unlink(at)?$', error: 'EROFS', when: '1' },
];

for (const [index, { inJobs = false, ...fault }] of cases.entries()) {
  const name = `${nameOf(fault)}: no answer lies, it heals, and a restart finds what was acknowledged`;
  test(name, { skip: skipWithoutStrace, timeout: 120_000 }, async (t) => {
    const { fired, failures } = await runFaultCase(fault, { seed: index + 1, runJobs: inJobs });
    t.diagnostic(`met ${fired} times, ${failures} answers of 5xx`);
    assert.ok(fired > 0, 'the fault was never met');
    if (inJobs) assert.equal(failures, 0);
    // Of faults without end one request may meet several.
    else assert.ok(failures >= (fault.when.endsWith('+') ? 1 : fired), 'somebody was not told of a fault');
  });
}
