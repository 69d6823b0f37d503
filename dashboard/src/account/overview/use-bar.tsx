// How much of something is used, as a bar and in words; without a limit there is nothing to draw a bar against.
type UseBarProps = {
  readonly name: string;
  readonly used: number;
  /** Null is no limit. */
  readonly limit: number | null;
  readonly format: (value: number) => string;
};

export function UseBar({ name, used, limit, format }: UseBarProps) {
  return (
    <div className="use-bar">
      <div className="row spread">
        <span className="label">{name}</span>
        <span>
          {format(used)}{' '}
          <span className="muted">{limit === null ? '· no limit' : `of ${format(limit)}`}</span>
        </span>
      </div>
      {limit !== null && (
        <progress
          value={Math.min(used, limit)}
          max={Math.max(limit, Number.MIN_VALUE)}
          aria-label={`${name} used`}
        />
      )}
    </div>
  );
}
