// Takes the pictures of the dashboard that the README shows, of a service filled with photographs in the public domain.
import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { browserPath, launchBrowser } from '../test/support/browser.ts';
import { fillScenes, scenes, screenshot } from '../test/support/dashboard-scenes.ts';
import { startServer } from '../test/support/server.ts';

await using server = await startServer();
await fillScenes(server);
const browser = await launchBrowser(browserPath() ?? 'chromium');
for (const [name, height] of [
  ['library', 640],
  ['object', 1180],
] as const) {
  const scene = scenes.find((each) => each.name === name)!;
  const png = await screenshot(browser, server, scene, {
    colorScheme: 'dark',
    width: 1280,
    height,
    deviceScaleFactor: 1.5,
  });
  writeFileSync(`docs/images/dashboard-${name}.webp`, await sharp(png).webp({ quality: 82 }).toBuffer());
}
await browser.close();
