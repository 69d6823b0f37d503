// A part of the page that comes when it is needed. While the service is away it is waited for, as for everything else; only
// a part that a service in good health does not have is a fault: that of an old page.
import { sleep } from '../../../client/src/sleep.ts';
import { tintype } from '../api.ts';

const longestPauseMs = 5000;

export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let pauseMs = 500; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await load();
    } catch {
      // There again, or all the time: the next try tells.
      if (await isServiceWell()) return load();
      await sleep(pauseMs, undefined);
    }
  }
}

async function isServiceWell(): Promise<boolean> {
  try {
    await tintype.health();
    return true;
  } catch {
    return false;
  }
}
