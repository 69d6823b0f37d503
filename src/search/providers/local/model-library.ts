// Opens the library that runs the models, in a worker and nowhere else. It is an optional package, and it looks in our folder
// only, unless it is given the address of a hub.
import type * as Transformers from '@huggingface/transformers';

export type ModelLibrary = typeof Transformers;

export class NoLibraryError extends Error {}

export async function openModelLibrary(
  modelsDir: string,
  hubAddress: string | null = null,
): Promise<ModelLibrary> {
  const library = await import('@huggingface/transformers').catch((error: unknown) => {
    throw new NoLibraryError(String(error), { cause: error });
  });
  const { env } = library;
  env.localModelPath = modelsDir;
  env.cacheDir = modelsDir;
  env.allowRemoteModels = hubAddress !== null;
  if (hubAddress !== null) env.remoteHost = hubAddress;
  // Twice, because what left the machine could not be called back.
  else env.fetch = () => Promise.reject(new Error('models are only read from the disk here'));
  // What goes wrong is told in the answer; its own words would show what was asked.
  env.logLevel = library.LogLevel.NONE;
  return library;
}

export const sessionOptions = {
  // One task at a time, beside the workers that render: a second thread would be theirs.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Its arena would keep the most any layer ever needed.
  enableCpuMemArena: false,
};
