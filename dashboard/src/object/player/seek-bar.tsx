// Where the film is, and a look at where it could be.
import { type PointerEvent, useState } from 'react';
import { duration as written } from '../../parts/units.ts';
import type { StoryFrame } from './storyboard.ts';

type SeekBarProps = {
  readonly time: number;
  readonly duration: number;
  readonly frames: readonly StoryFrame[];
  readonly onSeek: (time: number) => void;
};

export function SeekBar({ time, duration, frames, onSeek }: SeekBarProps) {
  const [looked, setLooked] = useState<number | null>(null);
  const look = ({ currentTarget, clientX }: PointerEvent<HTMLDivElement>): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setLooked(Math.max(0, Math.min(1, (clientX - left) / width)));
  };
  return (
    <div className="seek" onPointerMove={look} onPointerLeave={() => setLooked(null)}>
      {looked !== null && <Preview share={looked} time={looked * duration} frames={frames} />}
      <input
        type="range"
        aria-label="Seek"
        aria-valuetext={`${written(time)} of ${written(duration)}`}
        min={0}
        max={duration || 1}
        step={0.1}
        value={Math.min(time, duration || 1)}
        onChange={({ target }) => onSeek(Number(target.value))}
        onKeyDown={(event) => {
          const step = { ArrowLeft: -5, ArrowRight: 5, ArrowDown: -5, ArrowUp: 5 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          onSeek(Math.max(0, Math.min(duration, time + step)));
        }}
      />
    </div>
  );
}

function Preview({ share, time, frames }: { share: number; time: number; frames: readonly StoryFrame[] }) {
  const frame = frames.find(({ from, to }) => time >= from && time < to) ?? frames.at(-1);
  return (
    <div className="seek-preview" style={{ left: `${share * 100}%` }} aria-hidden="true">
      {frame && (
        <div
          className="seek-frame"
          style={{
            width: frame.width,
            height: frame.height,
            backgroundImage: `url("${frame.picture}")`,
            backgroundPosition: `-${frame.x}px -${frame.y}px`,
          }}
        />
      )}
      {written(time)}
    </div>
  );
}
