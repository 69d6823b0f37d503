// Plays a stream in a video element: by hls.js where it works, otherwise by the browser itself.
import Hls from 'hls.js';
import { type RefObject, useEffect, useState } from 'react';

export type Stream = {
  /** Heights, the largest first. */
  readonly levels: readonly { readonly index: number; readonly height: number }[];
  readonly choose: (index: number) => void;
  readonly fault: string | null;
};

export function useStream(video: RefObject<HTMLVideoElement | null>, address: string): Stream {
  const [hls, setHls] = useState<Hls | null>(null);
  const [levels, setLevels] = useState<Stream['levels']>([]);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    if (!Hls.isSupported()) {
      element.src = address;
      return;
    }
    const player = new Hls({ capLevelToPlayerSize: true });
    let again: ReturnType<typeof setTimeout> | undefined;
    player.on(Hls.Events.MANIFEST_PARSED, () => setLevels(heightsOf(player)));
    player.on(Hls.Events.LEVELS_UPDATED, () => setLevels(heightsOf(player)));
    player.on(Hls.Events.ERROR, (_event, { fatal, type }) => {
      if (!fatal) return;
      if (type === Hls.ErrorTypes.MEDIA_ERROR) player.recoverMediaError();
      else if (type === Hls.ErrorTypes.NETWORK_ERROR) {
        setFault('The film cannot be loaded at present. Trying again …');
        again = setTimeout(() => player.loadSource(address), 3000);
      } else setFault('This film cannot be played here. Download it instead.');
    });
    player.on(Hls.Events.FRAG_LOADED, () => setFault(null));
    player.loadSource(address);
    player.attachMedia(element);
    setHls(player);
    return () => {
      clearTimeout(again);
      player.destroy();
    };
  }, [video, address]);
  return {
    levels,
    choose: (index) => {
      if (hls) hls.currentLevel = index;
    },
    fault,
  };
}

function heightsOf({ levels }: Hls): Stream['levels'] {
  return levels
    .map(({ height }, index) => ({ index, height }))
    .toSorted((one, other) => other.height - one.height);
}
