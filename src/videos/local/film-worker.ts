// The process in which films are read, cut and encoded: one task at a time, and expendable. A film that crashes, hangs or
// swells costs this process, never the server. FFmpeg is used through its synchronous calls: the asynchronous ones cost
// more, and corrupt memory when two share a context.
import { accessSync } from 'node:fs';
import { AV_LOG_QUIET } from 'node-av/constants';
import { Log } from 'node-av/lib';
import { ownUsage, type WorkerMessage } from '../../platform/workers/worker-process.ts';
import { UndecodableError } from './ffmpeg/checked.ts';
import { openFilm } from './ffmpeg/open-film.ts';
import { createPace } from './ffmpeg/pace.ts';
import { probeFilm } from './ffmpeg/probe-film.ts';
import { remuxFilm } from './ffmpeg/remux-film.ts';
import { transcodeFilm } from './ffmpeg/transcode-film.ts';
import { writeExtras } from './ffmpeg/write-extras.ts';
import { writeStill } from './ffmpeg/write-still.ts';
import type { FilmAnswer, FilmTask } from './film-protocol.ts';

Log.setLevel(AV_LOG_QUIET);
process.on('message', (task: FilmTask) => void answer(task));
// An ordinary exit would wait for the film in work.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A signal to the whole group is for the server, which decides when its workers end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
send({ kind: 'ready', ...ownUsage() });

async function answer(task: FilmTask): Promise<void> {
  const answered = await run(task).catch(answerOf);
  send({ kind: 'answer', answer: answered, ...ownUsage() });
}

async function run(task: FilmTask): Promise<FilmAnswer> {
  // FFmpeg cannot tell a film that is gone from one that is broken.
  accessSync(task.film.path);
  const pace = createPace((percent) => send({ kind: 'progress', percent, ...ownUsage() }));
  switch (task.kind) {
    case 'probe':
      return { kind: 'probed', facts: probeFilm(task.film, task.posterPath) };
    case 'still': {
      using film = openFilm(task.film);
      writeStill(film, task.atMs, task.outputPath);
      return { kind: 'written' };
    }
    case 'remux':
      return { kind: 'streamed', stream: await remuxFilm(task, pace) };
    case 'transcode':
      return { kind: 'streamed', stream: await transcodeFilm(task, pace) };
    case 'extras':
      await writeExtras(task, pace);
      return { kind: 'written' };
  }
}

function answerOf(error: unknown): FilmAnswer {
  const detail = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  if (error instanceof UndecodableError) return { kind: 'undecodable', reason: error.message, detail };
  const { code } = error as NodeJS.ErrnoException;
  const kind = code === 'ENOSPC' || code === 'EDQUOT' ? 'disk_full' : 'failed';
  return { kind, reason: error instanceof Error ? (error.stack ?? detail) : detail };
}

function send(message: WorkerMessage<FilmAnswer>): void {
  // When the server is gone, the end of the connection tells it.
  process.send?.(message, undefined, undefined, () => {});
}
