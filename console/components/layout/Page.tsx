import { useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { session } from "../../session.ts";

/** The list that a page leads back to. */
export interface Parent {
  readonly title: string;
  readonly href: string;
}

interface PageProps {
  readonly title: string;
  /** Shown beside the title. */
  readonly badge?: ComponentChildren;
  /** Empty until it is known: it takes its room at once, so that nothing below moves. */
  readonly subtitle?: ComponentChildren;
  /** Buttons, or a choice of time spans. */
  readonly actions?: ComponentChildren;
  /** The breadcrumb: "Keys" for one key. */
  readonly parent?: Parent;
  /** Controls on a separate line, such as a choice of time spans below the buttons. */
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The first page does not take the focus, because no click led to it. */
let isFirst = true;

/** The layout of every page: one h1, which takes the focus after navigation, and the title of the window. */
export function Page({ title, badge, subtitle, actions, parent, tools, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  useSignalEffect(() => {
    const isStaging = session.value.kind === "in" && session.value.view.environment === "staging";
    document.title = `${title} · Animal Store${isStaging ? " (staging)" : ""}`;
  });
  return (
    <>
      {parent && (
        <p class="crumbs">
          <a href={parent.href}>{parent.title}</a> / <bdi title={title.length > 20 ? title : undefined}>{title}</bdi>
        </p>
      )}
      <header class="page-head">
        <div>
          <div class="row">
            <h1 ref={heading} tabIndex={-1} title={title.length > 60 ? title : undefined}>
              <bdi>{title}</bdi>
            </h1>
            {badge}
          </div>
          {subtitle !== undefined && <p class="soft subtitle">{subtitle}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {tools && <div class="page-tools">{tools}</div>}
      <div class="page-body">{children}</div>
    </>
  );
}

interface PanelProps {
  readonly title?: string;
  /** Shown to the right of the title. */
  readonly aside?: ComponentChildren;
  /** Without padding, for tables. */
  readonly isFlush?: boolean;
  readonly children: ComponentChildren;
}

export const Panel = ({ title, aside, isFlush = false, children }: PanelProps) => (
  <section class={isFlush ? "panel is-flush" : "panel"}>
    {title && (
      <div class="panel-head">
        <h2>{title}</h2>
        {aside}
      </div>
    )}
    {children}
  </section>
);

interface FactsProps {
  readonly facts: readonly (readonly [term: string, description: ComponentChildren])[];
  /** Aligns numbers to the right, as in a bill. */
  readonly areSums?: boolean;
}

export const Facts = ({ facts, areSums = false }: FactsProps) => (
  <dl class={areSums ? "facts is-sums" : "facts"}>
    {facts.map(([term, description]) => (
      <>
        <dt>{term}</dt>
        <dd>{description}</dd>
      </>
    ))}
  </dl>
);
