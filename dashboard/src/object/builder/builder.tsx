// The transformation builder: controls, what they make of the picture, and its address ready to use.
import { useState } from 'react';
import { image, type ObjectDetails } from '../../../../client/src/index.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ControlField } from './control-field.tsx';
import { type Control, type Group, groups, type Values } from './control.ts';
import { controls, lookOf } from './controls.ts';
import { LivePreview } from './live-preview.tsx';
import { Snippets } from './snippets.tsx';
import { useSettled } from './use-rendered.ts';

/** Not larger than the picture is. */
const startOf = ({ width }: ObjectDetails): Values => ({
  w: String(Math.min(800, width ?? 800)),
  format: 'auto',
});

export function Builder({ object }: { object: ObjectDetails }) {
  const [values, setValues] = useState(() => startOf(object));
  const picture = lookOf(image(object.object_url), values);
  const address = useSettled(picture.url);
  const isMoving = object.video_url !== undefined || ['image/gif', 'image/webp'].includes(object.type);
  const shown = controls.filter((control) => control.for !== 'moving' || isMoving);
  return (
    <section className="card" aria-labelledby="builder">
      <div className="row spread">
        <h2 id="builder">Transform</h2>
        <button type="button" className="small" onClick={() => setValues(startOf(object))}>
          Start again
        </button>
      </div>
      <div className="builder">
        <div className="builder-controls">
          {groups.map((group) => (
            <ControlGroup
              key={group}
              group={group}
              controls={shown.filter((control) => control.group === group)}
              values={values}
              onChange={(name, value) => setValues({ ...values, [name]: value })}
            />
          ))}
        </div>
        <div className="builder-result stack">
          <LivePreview object={object} address={address} />
          <div className="builder-address">
            <code aria-label="Address">{picture.url}</code>
            <CopyButton text={picture.url} label="Copy address" />
          </div>
          <Snippets object={object} picture={picture} values={values} />
        </div>
      </div>
    </section>
  );
}

type ControlGroupProps = {
  readonly group: Group;
  readonly controls: readonly Control[];
  readonly values: Values;
  readonly onChange: (name: string, value: string) => void;
};

function ControlGroup({ group, controls: shown, values, onChange }: ControlGroupProps) {
  const inUse = shown.filter(({ name }) => values[name]).length;
  if (shown.length === 0) return null;
  return (
    <details open={group === 'Size' || group === 'Output'}>
      <summary>
        {group}
        {inUse > 0 && <span className="muted"> · {inUse}</span>}
      </summary>
      <div className="builder-group">
        {shown.map((control) => (
          <ControlField
            key={control.name}
            control={control}
            value={values[control.name] ?? ''}
            onChange={(value) => onChange(control.name, value)}
          />
        ))}
      </div>
    </details>
  );
}
