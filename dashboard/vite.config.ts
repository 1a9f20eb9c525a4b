// Builds what the programs embed, under fixed names: the dashboard, and the report's script and style. `make dashboard`
// copies what has changed into the crates.
import { defineConfig } from "vite";

const build = (outDir: string, name: string, input: string) => ({
  outDir,
  emptyOutDir: true,
  assetsDir: "",
  modulePreload: false as const,
  target: "es2022",
  rollupOptions: { input, output: { entryFileNames: `${name}.js`, assetFileNames: `${name}.[ext]` } },
});

export default defineConfig(({ mode }) =>
  mode === "report"
    ? { publicDir: false, build: build("../target/report", "report", "src/report.ts") }
    : { base: "/assets/", build: build("../target/dashboard", "dashboard", "index.html") },
);
