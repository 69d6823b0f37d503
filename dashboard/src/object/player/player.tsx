// The player: a video, its controls, and frames of the film above the seek bar.
import './player.css';
import { useRef, useState } from 'react';
import { image, type ObjectDetails } from '../../../../client/src/index.ts';
import { duration as written } from '../../parts/units.ts';
import { SeekBar } from './seek-bar.tsx';
import { useStoryboard } from './storyboard.ts';
import { type Stream, useStream } from './use-stream.ts';

const rates = [0.5, 1, 1.5, 2];

export function Player({ object, stream: address }: { object: ObjectDetails; stream: string }) {
  const video = useRef<HTMLVideoElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const stream = useStream(video, address);
  const frames = useStoryboard(object.object_url, object.status === 'ready');
  const [time, setTime] = useState(0);
  const [isPaused, setIsPaused] = useState(true);
  const [isMuted, setIsMuted] = useState(false);
  const toggle = (): void => {
    const element = video.current;
    if (!element) return;
    if (element.paused) void element.play().catch(() => undefined);
    else element.pause();
  };
  const seek = (to: number): void => {
    if (video.current) video.current.currentTime = to;
    setTime(to);
  };
  const length = object.duration ?? 0;
  return (
    <div className="player" ref={frame}>
      <video
        ref={video}
        poster={image(object.object_url).width(1280).fit('max').format('webp').url}
        playsInline
        preload="metadata"
        aria-label={object.original_file_name}
        onClick={toggle}
        onTimeUpdate={({ currentTarget }) => setTime(currentTarget.currentTime)}
        onPlay={() => setIsPaused(false)}
        onPause={() => setIsPaused(true)}
        onVolumeChange={({ currentTarget }) => setIsMuted(currentTarget.muted)}
      />
      {stream.fault && (
        <p className="player-fault" role="alert">
          {stream.fault}
        </p>
      )}
      <div className="player-controls">
        <button type="button" className="small" aria-label={isPaused ? 'Play' : 'Pause'} onClick={toggle}>
          {isPaused ? '▶' : '❚❚'}
        </button>
        <SeekBar time={time} duration={length} frames={frames} onSeek={seek} />
        <span className="player-time">
          {written(time)} / {written(length)}
        </span>
        <button
          type="button"
          className="small"
          aria-pressed={isMuted}
          onClick={() => {
            if (video.current) video.current.muted = !isMuted;
          }}
        >
          {isMuted ? 'Muted' : 'Mute'}
        </button>
        <RateChoice onChange={(rate) => void (video.current && (video.current.playbackRate = rate))} />
        <LevelChoice stream={stream} />
        <button type="button" className="small" onClick={() => void frame.current?.requestFullscreen?.()}>
          Full screen
        </button>
      </div>
    </div>
  );
}

function RateChoice({ onChange }: { onChange: (rate: number) => void }) {
  return (
    <select
      className="small"
      aria-label="Speed"
      defaultValue={1}
      onChange={({ target }) => onChange(Number(target.value))}
    >
      {rates.map((rate) => (
        <option key={rate} value={rate}>
          {rate}×
        </option>
      ))}
    </select>
  );
}

function LevelChoice({ stream: { levels, choose } }: { stream: Stream }) {
  if (levels.length < 2) return null;
  return (
    <select
      className="small"
      aria-label="Quality"
      defaultValue={-1}
      onChange={({ target }) => choose(Number(target.value))}
    >
      <option value={-1}>Auto</option>
      {levels.map(({ index, height }) => (
        <option key={index} value={index}>
          {height}p
        </option>
      ))}
    </select>
  );
}
