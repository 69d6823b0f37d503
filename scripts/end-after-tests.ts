// Loaded into every process that runs a test file: what a failed test has left running keeps it no longer than a moment once
// all tests are done. (`forceExit` would end it at once, and lose what it had yet to tell.)
import { isMainThread } from 'node:worker_threads';

const momentMs = 10_000;

// The threads and workers of the service under test inherit this, and run no tests.
if (isMainThread && process.send === undefined) {
  const { after } = await import('node:test');
  after(() => void setTimeout(() => process.exit(), momentMs).unref());
}
