// The style of the page: system fonts, one column that narrows, colours for light and dark, paper. Everything that colour says is said in
// words too. The filter hides what its boxes leave unchecked, without a script.

/** The whole style sheet, as it stands in the page: its hash is in the page's policy. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f6f7f9; --line: #d9dde3; --text: #1b1f24; --soft: #57606a; --link: #0757ba;
  --critical: #a40e26; --high: #b3400b; --medium: #7d5600; --low: #0757ba; --info: #57606a; --good: #116329;
  --added: #d4f4dc; --added-text: #0b4a1e; --removed: #ffe0dd; --removed-text: #7d0f16;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --panel: #171c23; --line: #313942; --text: #e4e8ed; --soft: #a3adb8; --link: #7ab8ff;
    --critical: #ff8087; --high: #ffa066; --medium: #e6bf55; --low: #7ab8ff; --info: #a3adb8; --good: #6fd18a;
    --added: #12381f; --added-text: #a5eeb8; --removed: #471a1c; --removed-text: #ffbdb8;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0 auto; max-width: 64rem; padding: 1.5rem clamp(1rem, 4vw, 2.5rem) 4rem;
  background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--link); }
a:focus-visible, summary:focus-visible, input:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: .5rem 1rem; z-index: 1; }
h1 { font-size: 1.6rem; margin: 0; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
code, pre, .text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
code { overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.lead { font-size: 1.1rem; margin: .25rem 0 0; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .75rem 0 0; padding: 0; color: var(--soft); font-size: .9rem; }
.facts div { display: flex; gap: .4rem; }
.facts dt::after { content: ":"; }
.facts dd { margin: 0; color: var(--text); overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 1.25rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .925rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); }
td { overflow-wrap: anywhere; min-width: 5rem; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: .3rem; padding: 0 .45rem; font-size: .8rem; font-weight: 600; line-height: 1.5; white-space: nowrap; }
.critical { color: var(--critical); } .high { color: var(--high); } .medium { color: var(--medium); }
.low { color: var(--low); } .info { color: var(--info); } .ungraded { color: var(--high); }
.good { color: var(--good); } .bad { color: var(--critical); } .open { color: var(--medium); }
.badge.critical { background: var(--critical); border-color: var(--critical); color: var(--ground); }
fieldset { display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; align-items: center; border: 1px solid var(--line); border-radius: .4rem; margin: 1rem 0; padding: .5rem .9rem; }
legend { color: var(--soft); font-size: .85rem; padding: 0 .35rem; }
label { display: inline-flex; gap: .4rem; align-items: center; cursor: pointer; }
.server { margin: 2.5rem 0 0; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.title { display: flex; flex-wrap: wrap; gap: .35rem .75rem; align-items: baseline; }
.entry { border: 1px solid var(--line); border-left: 4px solid var(--edge, var(--line)); border-radius: .4rem; margin: .75rem 0; background: var(--ground); }
.entry.is-critical { --edge: var(--critical); } .entry.is-high, .entry.is-ungraded { --edge: var(--high); }
.entry.is-medium { --edge: var(--medium); } .entry.is-low { --edge: var(--low); }
summary { cursor: pointer; padding: .55rem .9rem; overflow-wrap: anywhere; }
.entry > summary { background: var(--panel); border-radius: .4rem; }
.part { padding: .6rem .9rem .8rem; border-top: 1px solid var(--line); }
.where { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; margin: 0 0 .35rem; }
.means { margin: .35rem 0; padding-left: 1.1rem; }
.means li { margin: .15rem 0; overflow-wrap: anywhere; }
.rule { color: var(--soft); font-size: .85em; }
.text { margin: .4rem 0 0; padding: .6rem .8rem; background: var(--panel); border-radius: .3rem; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.55; }
del { background: var(--removed); color: var(--removed-text); text-decoration: line-through; }
ins { background: var(--added); color: var(--added-text); text-decoration: none; border-bottom: 1px solid currentColor; padding-bottom: .06em; }
.fold > summary { padding-left: 0; color: var(--soft); }
.timeline { list-style: none; margin: .25rem 0 0; padding: 0 0 0 1.1rem; border-left: 2px solid var(--line); }
.timeline li { position: relative; padding: 0 0 .8rem; overflow-wrap: anywhere; }
.timeline li::before { content: ""; position: absolute; left: -1.5rem; top: .45rem; width: .65rem; height: .65rem; border-radius: 50%; background: var(--soft); }
.timeline li.moved::before { background: var(--medium); }
.proof { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; margin: .25rem 0 0; }
.proof dt { color: var(--soft); } .proof dd { margin: 0; overflow-wrap: anywhere; }
footer { margin-top: 3rem; color: var(--soft); font-size: .9rem; }
body:has(#show-ungraded:not(:checked)) .is-ungraded, body:has(#show-critical:not(:checked)) .is-critical,
body:has(#show-high:not(:checked)) .is-high, body:has(#show-medium:not(:checked)) .is-medium,
body:has(#show-low:not(:checked)) .is-low, body:has(#show-info:not(:checked)) .is-info { display: none; }
@media (max-width: 40rem) { .proof { grid-template-columns: 1fr; gap: 0; } .proof dd { margin-bottom: .4rem; } }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .skip, fieldset { display: none; }
  .entry, .server > .title { break-inside: avoid; }
  details:not([open])::details-content { content-visibility: visible; }
  a { color: inherit; text-decoration: none; }
}
`
