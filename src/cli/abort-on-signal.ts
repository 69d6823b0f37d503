// How a long command ends when it is asked to: what has begun is finished, and a second signal ends it at once.

export function abortOnSignal(): { signal: AbortSignal; ignore(): void } {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return {
    signal: controller.signal,
    ignore: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}
