// Makes one HTML file of src/: node build.mjs FILE
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const bundle = (file, more) =>
  build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    logLevel: "warning",
    ...more,
  });

// Who wrote what is in the bundle, and on which terms.
function notices(inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const found = /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) folders.add(found[1]);
  }
  const terms = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const licence = readFileSync(`${folder}/LICENSE`, "utf8").trim().replaceAll("-->", "");
    terms.set(licence, [...(terms.get(licence) ?? []), `${name} ${version}`]);
  }
  return [...terms]
    .map(([licence, names]) => `${names.join(", ")}\n\n${licence}`)
    .join("\n\n---\n\n");
}

const script = await bundle("src/main.ts", { format: "iife", target: "es2021", metafile: true });
const style = await bundle("src/style.css");
const parts = {
  "@NOTICES@": notices(Object.keys(script.metafile.inputs)),
  "@STYLE@": style.outputFiles[0].text.trim(),
  "@SCRIPT@": script.outputFiles[0].text.trim(),
};
let page = readFileSync("src/page.html", "utf8");
for (const [place, text] of Object.entries(parts)) {
  if (!page.includes(place)) throw new Error(`src/page.html has no ${place}`);
  page = page.replace(place, () => text);
}
writeFileSync(process.argv[2], page);
