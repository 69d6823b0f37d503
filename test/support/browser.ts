// A headless Chromium of this machine, where there is one.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Null when none is installed: whoever needs it says loudly that nothing was tried. */
export function browserPath(): string | null {
  const folders = (process.env['PATH'] ?? '').split(':');
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return places.find(isExecutable) ?? null;
}

export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--disable-gpu'],
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
