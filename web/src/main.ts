import { readReport } from "./data";
import { h } from "./dom";
import { livePage } from "./live";
import { replayPage } from "./replay";

// A fault of the page is said on it, not only where developers look.
window.addEventListener("error", ({ message }) => {
  document.body.prepend(
    h(
      "p",
      { class: "fault", role: "alert" },
      `This page has a fault: ${message}. The figures are in report.json beside it.`,
    ),
  );
});

const report = readReport();
document
  .getElementById("page")!
  .append(...(report.kind === "live" ? livePage(report) : replayPage(report)));
