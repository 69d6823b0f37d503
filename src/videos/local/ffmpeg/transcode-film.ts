// All rungs of a film and its sound in one go: read once, decoded once, encoded side by side.
import { availableParallelism } from 'node:os';
import type { StreamFolder } from '../../film.ts';
import type { FilmTask } from '../film-protocol.ts';
import { openDecoder } from './decoder.ts';
import type { Decoder } from './decoder.ts';
import { openFilm } from './open-film.ts';
import type { Pace } from './pace.ts';
import { createPictureTracks } from './picture-tracks.ts';
import type { PictureTracks } from './picture-tracks.ts';
import { createSoundTrack } from './sound-track.ts';
import type { SoundTrack } from './sound-track.ts';
import { ticksPerSecond } from './ticks.ts';
import { writePlaylists } from './write-stream.ts';

type TranscodeTask = Extract<FilmTask, { kind: 'transcode' }>;
type Line = { readonly decoder: Decoder; take(frame: Parameters<PictureTracks['take']>[0]): void };

export async function transcodeFilm(task: TranscodeTask, pace: Pace): Promise<StreamFolder> {
  const { facts, folder, rungs } = task;
  const threads = availableParallelism();
  using film = openFilm(task.film);
  using open = new DisposableStack();
  const picture = createPictureTracks({ film, facts, rungs, folder, threads });
  let moment = 0;
  const lines = new Map<number, Line>([
    [
      film.video.index,
      {
        decoder: open.use(openDecoder(film.video, { threads })),
        take: (frame) => void (moment = picture.take(frame)),
      },
    ],
  ]);
  const sound = film.audio === null ? null : createSoundTrack(film, folder, facts.durationMs);
  if (film.audio !== null && sound !== null)
    lines.set(film.audio.index, soundLine(open.use(openDecoder(film.audio, { threads: 1 })), sound));
  for (const packet of film.packets()) {
    const line = lines.get(packet.streamIndex);
    for (const frame of line?.decoder.frames(packet) ?? []) line?.take(frame);
    await pace.at((moment / ticksPerSecond) * (1000 / facts.durationMs));
  }
  for (const line of lines.values()) for (const frame of line.decoder.frames(null)) line.take(frame);
  const pictures = picture.finish(sound?.endTicks() ?? 0);
  return writePlaylists(folder, { pictures, sound: sound?.finish() ?? null });
}

function soundLine(decoder: Decoder, sound: SoundTrack): Line {
  return { decoder, take: (frame) => sound.take(frame) };
}
