/** A file of the team's records beside the view: page by page, exactly as on disk. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownPage } from '../../wire-types.ts';
import { useAnswer } from '../use-answer.ts';
import { usePageNavigation } from '../navigation.ts';
import { FileLinks } from './labels.tsx';
import type { PageModel } from '../page-model.ts';
import { whole } from '../formats.ts';

const LINES = 400;

/** @param file with `*`, the files of all members are listed as links */
export function FileAside({ file, scene }: { file: string; scene: PageModel }): JSX.Element {
  return file.includes('*') ? <FilesOfAll pattern={file} scene={scene} /> : <Lines file={file} />;
}

function FilesOfAll({ pattern, scene }: { pattern: string; scene: PageModel }): JSX.Element {
  const names = ['lead', ...scene.members.map(({ name }) => name)];
  return (
    <>
      <h2 class="path">{pattern}</h2>
      <FileLinks files={names.map((name) => pattern.replace('*', name))} />
    </>
  );
}

function Lines({ file }: { file: string }): JSX.Element {
  const { team } = usePageNavigation();
  const [asked, setAsked] = useState({ file, from: 1, mark: 0 });
  const from = asked.file === file ? asked.from : 1;
  const page = useAnswer<ShownPage>(team, `file?${new URLSearchParams({ file, from: String(from) })}`, asked.mark);
  const goTo = (line: number): void => setAsked({ file, from: Math.max(1, line), mark: asked.mark + 1 });
  const total = page.kind === 'there' ? page.value.total : 0;
  const last = page.kind === 'there' ? from + page.value.lines.length - 1 : 0;
  return (
    <>
      <h2 class="path">{file}</h2>
      {page.kind === 'failed' && <p class="outcome">{page.why}</p>}
      {page.kind === 'there' && total === 0 && <p class="empty">The file is empty.</p>}
      {page.kind === 'there' && total > 0 && (
        <>
          <p class="tools">
            <span class="note">
              lines {whole(Math.min(from, total))}–{whole(last)} of {whole(total)}
            </span>
            <span class="grow" />
            <span class="buttons">
              <button type="button" disabled={from <= 1} onClick={() => goTo(1)}>
                First
              </button>
              <button type="button" disabled={from <= 1} onClick={() => goTo(from - LINES)}>
                Earlier
              </button>
              <button type="button" disabled={last >= total} onClick={() => goTo(last + 1)}>
                Later
              </button>
              <button type="button" disabled={last >= total} onClick={() => goTo(total - LINES + 1)}>
                Last
              </button>
            </span>
          </p>
          <pre class="text lines" tabIndex={0} aria-label={`Lines of ${file}`}>
            {page.value.lines.map((line, index) => (
              <span key={index} data-line={from + index}>
                {line}
                {'\n'}
              </span>
            ))}
          </pre>
        </>
      )}
    </>
  );
}
