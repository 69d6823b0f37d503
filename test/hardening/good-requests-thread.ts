// Asks every service for one thing after another, on one connection to each. A thread of its own, so that no work of the
// slow clients beside it is taken for slowness of a server.
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

export type Order = 'start' | 'stop';
export type Asked = { tookMs: number; status: number | undefined; url: string };

const pauseMs = 2;
const services = workerData as readonly (readonly string[])[];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let isStopped = true;
let running: Promise<Asked[][]> | undefined;

parentPort?.on('message', (order: Order) => {
  isStopped = order === 'stop';
  if (order === 'start') running = Promise.all(services.map(run));
  else void running?.then((asked) => parentPort?.postMessage(asked));
});

async function run(urls: readonly string[]): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (let count = 0; !isStopped; count += 1) {
    const url = urls[count % urls.length] as string;
    const startedAt = performance.now();
    const status = await ask(url);
    asked.push({ tookMs: performance.now() - startedAt, status, url });
    await pause(pauseMs);
  }
  return asked;
}

function ask(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}
