// Time as this process had it: a moment for which others have the whole machine, and nothing here runs at all, is counted as
// little. For promises that something happens within so much time, where what happens is that we wait for somebody else.
const tickMs = 10;
const longestCountedMs = 50;

/** Starts a watch; what it returns tells the time since then, and stops it. */
export function ownTime(): () => number {
  let counted = 0;
  let last = performance.now();
  const count = (): void => {
    const now = performance.now();
    counted += Math.min(now - last, longestCountedMs);
    last = now;
  };
  const timer = setInterval(count, tickMs);
  return () => {
    clearInterval(timer);
    count();
    return counted;
  };
}
