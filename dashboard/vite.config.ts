// Builds what the programs embed, under fixed names: the dashboard into the service's crate, the report's script and
// style into the command line's.
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
    ? { publicDir: false, build: build("../crates/cli/assets", "report", "src/report.ts") }
    : { base: "/assets/", build: build("../crates/service/assets", "dashboard", "index.html") },
);
