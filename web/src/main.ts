import { readReport } from "./data";
import { livePage } from "./live";
import { replayPage } from "./replay";

// Put together before anything is drawn, as charts are as wide as their place.
const report = readReport();
const page = document.getElementById("page")!;
page.append(...(report.kind === "live" ? livePage(report) : replayPage(report)));
