// What is made beside the stream of a film: one file to download, and a storyboard.
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FilmFile } from '../../film.ts';
import type { FilmTask } from '../film-protocol.ts';
import type { Pace } from './pace.ts';
import { writeMp4, writeOwnMp4 } from './write-mp4.ts';
import { writeStoryboard } from './write-storyboard.ts';

export type ExtrasTask = Extract<FilmTask, { kind: 'extras' }>;

export async function writeExtras(task: ExtrasTask, pace: Pace): Promise<void> {
  mkdirSync(task.folder, { recursive: true });
  const path = join(task.folder, 'original.mp4');
  const { renditions, files } = task.stream;
  const [largest, smallest] = [renditions.at(0), renditions.at(-1)];
  if (largest === undefined || smallest === undefined) throw new Error('The stream has no renditions');
  const tracks: FilmFile[] = [];
  const track = (name: string): FilmFile => {
    const whole = wholeTrack(task, name);
    tracks.push(whole);
    return whole;
  };
  try {
    if (!(await writeOwnMp4(task.film, path, pace))) {
      const sound = files.includes('audio.m3u8') ? [track('audio')] : [];
      await writeMp4([track(largest.name), ...sound], path, pace);
    }
    await writeStoryboard(track(smallest.name), task.facts, task.folder, pace);
  } finally {
    for (const { path: temporary } of tracks) rmSync(temporary, { force: true });
  }
}

/** The segments of a track one after another are a file that can be opened like any other. */
function wholeTrack({ streamFolder, stream, folder }: ExtrasTask, name: string): FilmFile {
  const path = join(folder, `${name}.part`);
  rmSync(path, { force: true });
  // The list begins with the header, and goes on in order.
  for (const file of stream.files)
    if (file.startsWith(`${name}/`)) appendFileSync(path, readFileSync(join(streamFolder, file)));
  return { path, type: 'video/mp4' };
}
