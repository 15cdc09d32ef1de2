#pragma once

#include <string_view>

namespace headroom::sim {

// The style of a Page, and through variables that of its charts: light, dark and on paper.
inline constexpr std::string_view kPageStyle = R"css(
:root {
  color-scheme: light dark;
  --back: #fafaf9; --card: #fff; --text: #1c1c1e; --soft: #5c5c63; --edge: #deddda; --link: #005a9c;
  --held: #00664a; --held-back: #dcf3ea;
  --not-held: #a02c00; --not-held-back: #fde6dc;
  --not-run: #55555c; --not-run-back: #ebebed;
  --chart-title: var(--text); --chart-text: #4a4a50; --chart-axis: #85858c; --chart-grid: #e6e5e2;
  --chart-1: #0072b2; --chart-2: #d55e00; --chart-3: #009e73; --chart-4: #aa4499;
  --chart-5: #a07000; --chart-6: #666666; --chart-7: #3fa2dc; --chart-8: #882255;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --back: #131316; --card: #1c1c20; --text: #e9e9ec; --soft: #a3a3ab; --edge: #35353b;
    --link: #7cc0f5;
    --held: #6fdcb4; --held-back: #10382c;
    --not-held: #ffa27d; --not-held-back: #47200f;
    --not-run: #b8b8c0; --not-run-back: #303036;
    --chart-text: #b9b9c1; --chart-axis: #77777f; --chart-grid: #303036;
    --chart-1: #4fa9e8; --chart-2: #ff8a47; --chart-3: #2cc294; --chart-4: #da86cb;
    --chart-5: #dfb02c; --chart-6: #b5b5bb; --chart-7: #9fdcff; --chart-8: #f0718f;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  max-width: 1360px; margin: 0 auto; padding: 28px 20px 48px;
  background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: break-word;
}
h1 { margin: 0 0 8px; font-size: 1.9rem; line-height: 1.2; letter-spacing: -0.01em; }
h2 { margin: 0 0 12px; font-size: 1.35rem; line-height: 1.25; }
p { margin: 0 0 12px; max-width: 76ch; }
a { color: var(--link); text-underline-offset: 2px; }
.intro { color: var(--soft); font-size: 1.05rem; }
main { margin-top: 28px; }
section { margin-top: 40px; padding-top: 20px; border-top: 1px solid var(--edge); }
section:target h2 { text-decoration: underline var(--link) 3px; text-underline-offset: 6px; }

.badge {
  display: inline-block; padding: 1px 9px; border-radius: 99px;
  font-size: 0.8rem; font-weight: 600; line-height: 1.6; white-space: nowrap;
}
.badge.held { color: var(--held); background: var(--held-back); }
.badge.not-held { color: var(--not-held); background: var(--not-held-back); }
.badge.not-run { color: var(--not-run); background: var(--not-run-back); }

.totals { display: flex; flex-wrap: wrap; gap: 8px; margin: 20px 0 14px; }
.totals .badge { padding: 3px 14px; font-size: 1.05rem; }
nav ul {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 520px), 1fr));
  gap: 0 28px; margin: 0; padding: 0; list-style: none;
}
nav li {
  display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline;
  gap: 2px 10px; padding: 6px 0; border-top: 1px solid var(--edge);
}
nav .badge { padding: 0 7px; font-size: 0.72rem; }

.claim {
  display: grid; grid-template-columns: 104px 1fr; gap: 4px 14px; align-items: start;
  margin: 0 0 10px; padding: 12px 16px; max-width: 980px;
  background: var(--card); border: 1px solid var(--edge); border-left: 4px solid var(--not-run);
  border-radius: 6px;
}
.claim.held { border-left-color: var(--held); }
.claim.not-held { border-left-color: var(--not-held); }
.claim .badge { justify-self: start; }
.claim p { margin: 0 0 4px; }
.claim p:last-child { margin: 0; }
.measured { font-variant-numeric: tabular-nums; }
.measured b { color: var(--soft); font-weight: 600; font-size: 0.85rem; margin-right: 4px; }
.note { color: var(--soft); font-size: 0.92rem; }

.charts {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr));
  gap: 16px; margin: 16px 0;
}
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 6px; padding: 6px; }
.chart { display: block; width: 100%; height: auto; }

.scroll { overflow-x: auto; margin: 16px 0; }
table { border-collapse: collapse; font-size: 0.92rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: 6px; }
th, td { padding: 6px 14px; text-align: left; border-bottom: 1px solid var(--edge); }
th { border-bottom: 2px solid var(--chart-axis); font-weight: 600; vertical-align: bottom; }
.number { text-align: right; white-space: nowrap; }

footer { margin-top: 40px; padding-top: 16px; border-top: 1px solid var(--edge); }
summary { cursor: pointer; color: var(--link); }
pre {
  overflow-x: auto; padding: 14px; background: var(--card); border: 1px solid var(--edge);
  border-radius: 6px; font: 0.82rem/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
}

@media (max-width: 560px) {
  body { padding: 18px 12px 32px; }
  h1 { font-size: 1.5rem; }
  .claim { grid-template-columns: 1fr; padding: 10px 12px; }
  .card { padding: 2px; }
  th, td { padding: 6px 9px; }
}
@media print {
  :root { --back: #fff; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .charts { grid-template-columns: 1fr 1fr; }
  .claim, .card, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .scroll { overflow: visible; }
  pre { white-space: pre-wrap; }
}
)css";

}  // namespace headroom::sim
