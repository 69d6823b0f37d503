// What rendering is measured against: the image library alone, from the original, with the settings of our image workers.
// `GET /<file>/<width>x<height>` answers WebP. Run as a process: `bare-sharp-server.ts <folder>`; prints its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { formats } from '../src/images/address/formats.ts';

const folder = process.argv[2] as string;
const { defaultQuality: quality, encoderOptions } = formats.webp;
sharp.concurrency(1);
sharp.cache(false);

const server = createServer((request, response) => {
  const [, file, size] = (request.url as string).split('/') as [string, string, string];
  const [width, height] = size.split('x').map((side) => (side === '' ? null : Number(side)));
  sharp(join(folder, file))
    .resize(width, height)
    .webp({ quality, ...encoderOptions() })
    .toBuffer()
    .then(
      (bytes) => response.setHeader('Content-Length', bytes.length).end(bytes),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
