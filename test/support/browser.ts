// A headless Chromium of this machine, where there is one.
import { type Browser, chromium } from 'playwright-core';
import { programPath } from './program-path.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Null when none is installed: whoever needs it says loudly that nothing was tried. */
export function browserPath(): string | null {
  return names.map(programPath).find((path) => path !== null) ?? null;
}

export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--disable-gpu'],
  });
}
