// How much the process grows while it takes in a file far larger than its memory should be: a picture with a gigabyte of
// trailing bytes, sent as fast as it is read.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolder } from './support/cleanup.ts';
import { noisePicture } from './support/pictures.ts';
import { residentMegabytes } from './support/process-usage.ts';
import { atMost, type Scenario } from './support/report.ts';
import { type Service, startService } from './support/service.ts';
import { uploadLarge } from './support/upload-large.ts';

const trailingChunks = 1024;
const chunkBytes = 1024 * 1024;
const settleMs = 2000;
const sampleEveryMs = 50;

export const memory: Scenario = async () => {
  using folder = temporaryFolder();
  await using service = await startService({ dataDir: folder.path });
  await delay(settleMs);
  const idle = residentMegabytes(service.pid);
  let peak = idle;
  const sampler = setInterval(() => (peak = Math.max(peak, residentMegabytes(service.pid))), sampleEveryMs);
  const startedAt = performance.now();
  const objectId = await uploadGigabyte(service).finally(() => clearInterval(sampler));
  const seconds = (performance.now() - startedAt) / 1000;
  const deleted = await service.call(`/delete/${objectId}`, { method: 'DELETE' });
  if (deleted.status !== 200) throw new Error(`The file could not be deleted: ${await deleted.text()}`);
  return [
    atMost('growth during a 1 GB upload (RSS)', peak - idle, 64, ' MB'),
    { what: 'memory before and at its highest', value: `${idle.toFixed(0)} and ${peak.toFixed(0)} MB` },
    { what: 'speed of that upload', value: `${(trailingChunks / seconds).toFixed(0)} MB/s` },
  ];
};

async function uploadGigabyte(service: Service): Promise<string> {
  const picture = await noisePicture(256);
  const chunk = randomBytes(chunkBytes);
  const { object_id: objectId } = await uploadLarge(service, [picture], { chunk, times: trailingChunks });
  return objectId;
}
