// Builds the dashboard into the service's crate, under fixed names, so that the program can embed it.
import { defineConfig } from "vite";

export default defineConfig({
  base: "/assets/",
  build: {
    outDir: "../crates/service/assets",
    emptyOutDir: true,
    assetsDir: "",
    modulePreload: false,
    target: "es2022",
    rollupOptions: {
      output: {
        entryFileNames: "dashboard.js",
        assetFileNames: "dashboard.[ext]",
      },
    },
  },
});
