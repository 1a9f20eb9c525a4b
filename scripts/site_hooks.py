"""What mkdocs cannot know of itself: pages made from the program, pages that lie beside the code.

- The reference of the command line comes from `baton help`, that of the HTTP API from the service's
  own OpenAPI document, that of Rust from rustdoc (`make docs`).
- Pages outside `docs/` (architecture, benchmarks, examples) are part of the site under their path.
- A link to a Rust source file leads to rustdoc's view of it; one to a file of the repository that
  is not part of the site becomes plain text.
"""

import json
import os
import posixpath
import re
import subprocess
import tempfile
import urllib.request
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
BATON = ROOT / "target/debug/baton"
RUSTDOC = ROOT / "target/doc"
# Files beside docs/ that are part of the site: pages, and what they link to
BESIDE = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard", "ARCHITECTURE.md",
     "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks", "examples", "reference"],
    cwd=ROOT, check=True, capture_output=True, text=True,
).stdout.split()
# [text](target#anchor), or [name]: target
LINK = re.compile(r"\[([^\]\n]*)\](\(|: )([^)\s#]+)(#[^)\s]*)?(\)?)")

PYTHON = """# Python

The package `baton`. `baton.optuna`, `baton.ray`, `baton.plots` and `baton.client` are imported on
their own.

::: baton
    options:
      show_root_heading: false
      members: [Campaign, Task, Trial, Recommendation, Prediction, Settings, Fidelity, Knowledge,
                Space, Parameter, real, log, integer, stepped, ordered, choice]

::: baton.optuna
::: baton.ray
::: baton.client
::: baton.plots
::: baton.errors
"""

RUST = """# Rust

The documentation of the crates, as rustdoc writes it:

| crate | what it is |
|---|---|
| [`baton`](../rust/baton/index.html) | the optimiser: campaigns, tasks, trials, methods |
| [`baton_numerics`](../rust/baton_numerics/index.html) | special functions, factorisations, random streams, ascent |
| [`baton_problems`](../rust/baton_problems/index.html) | families of related tasks with known optima |
| [`baton_store`](../rust/baton_store/index.html) | records in SQLite or PostgreSQL |
| [`baton_runner`](../rust/baton_runner/index.html) | evaluates trials and keeps their records |
| [`baton_service`](../rust/baton_service/index.html) | the HTTP API and the dashboard |
| [`baton_lab`](../rust/baton_lab/index.html) | experiments and figures |
"""


def on_files(files, config):
    made = {
        "reference/command-line.md": command_line(),
        "reference/http.md": http(),
        "reference/python.md": PYTHON,
        "reference/rust.md": RUST,
    }
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    for path in BESIDE:
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    for folder, _, names in os.walk(RUSTDOC):
        for name in names:
            path = Path(folder) / name
            place = f"rust/{path.relative_to(RUSTDOC).as_posix()}"
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links as they are on the site."""
    place = page.file.src_uri
    home = Path(place) if place in BESIDE else Path("docs") / place

    def rewrite(match):
        text, opening, target, anchor, closing = match.groups(default="")
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        path = posixpath.normpath(posixpath.join(home.parent.as_posix(), target))
        own = site_path(path)
        if files.get_file_from_path(own):
            relative = posixpath.relpath(own, posixpath.dirname(place) or ".")
            return f"[{text}]{opening}{relative}{anchor}{closing}"
        outside = (ROOT / path).exists() and not path.startswith("docs/")
        return text if outside and closing else match[0]

    return LINK.sub(rewrite, markdown)


def site_path(path):
    """Where a file of the repository is on the site."""
    source = re.fullmatch(r"crates/([a-z]+)/src/(.+\.rs)", path)
    if source:
        crate = "baton" if source[1] == "baton" else f"baton_{source[1]}"
        return f"rust/src/{crate}/{source[2]}.html"
    return path.removeprefix("docs/")


def said(*arguments):
    return subprocess.run([BATON, *arguments], check=True, capture_output=True, text=True).stdout


def command_line():
    """Every command's own help."""
    lines = ["# Command line", "", "What `baton help` says of each command.", ""]
    waiting = [[]]
    while waiting:
        words = waiting.pop(0)
        text = said(*words, "--help")
        listed = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
        names = re.findall(r"^  ([a-z-]+) ", listed[1], re.MULTILINE) if listed else []
        waiting = [[*words, name] for name in names if name != "help"] + waiting
        lines += [f"## {' '.join(['baton', *words])}", "", "```text", text.rstrip(), "```", ""]
    return "\n".join(lines)


def document():
    """The OpenAPI document, asked of a service that is started for it."""
    with tempfile.TemporaryDirectory() as folder:
        call = [BATON, "serve", "--bind", "127.0.0.1:0", "--log", "none"]
        with subprocess.Popen(call, cwd=folder, stdout=subprocess.PIPE, text=True) as service:
            address = re.search(r"http://[\d.:]+/", service.stdout.readline())[0]
            with urllib.request.urlopen(f"{address}openapi.json") as answer:
                found = json.load(answer)
            service.terminate()
    return found


def http():
    """The API: what can be asked, with what, and what is answered."""
    found = document()
    lines = ["# HTTP API", "", "As the service describes itself at `/openapi.json`.", ""]
    for path, methods in found["paths"].items():
        for method, call in methods.items():
            lines += [f"## {method.upper()} {path}", "", call.get("summary", ""), ""]
            lines += [call.get("description", ""), ""]
            rows = [(p["name"], p["in"], p.get("description", "")) for p in call.get("parameters", [])]
            if rows:
                lines += ["| parameter | in | what it is |", "|---|---|---|"]
                lines += [f"| `{name}` | {place} | {' '.join(text.split())} |" for name, place, text in rows]
                lines.append("")
            body = named(call.get("requestBody", {}))
            if body:
                lines += [f"Body: [`{body}`](#{body.lower()}).", ""]
            lines += ["| answer | what it is | body |", "|---|---|---|"]
            for status, answer in call["responses"].items():
                shape = named(answer)
                shown = f"[`{shape}`](#{shape.lower()})" if shape else ""
                lines.append(f"| {status} | {' '.join(answer.get('description', '').split())} | {shown} |")
            lines.append("")
    lines += ["## Bodies", ""]
    for name, schema in sorted(found["components"]["schemas"].items()):
        lines += [f"### {name}", "", schema.get("description", ""), ""]
        if schema.get("properties"):
            needed = schema.get("required", [])
            lines += ["| field | needed | what it is |", "|---|---|---|"]
            for field, entry in schema["properties"].items():
                text = " ".join(entry.get("description", "").split())
                lines.append(f"| `{field}` | {'yes' if field in needed else ''} | {text} |")
            lines.append("")
    return "\n".join(lines)


def named(part):
    """The name of the schema of a body, if it has one."""
    for content in part.get("content", {}).values():
        schema = content.get("schema", {})
        reference = schema.get("$ref") or schema.get("items", {}).get("$ref")
        if reference:
            return reference.rsplit("/", 1)[-1]
    return None
