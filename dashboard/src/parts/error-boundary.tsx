// A fault of the page itself never leaves it blank.
import { Component, type ReactNode } from 'react';
import { sentence } from './sentence.ts';

export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <div className="state" role="alert">
        <h1>This page has stumbled</h1>
        <p>{sentence(this.state.error)}</p>
        <button type="button" className="primary" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    );
  }
}
