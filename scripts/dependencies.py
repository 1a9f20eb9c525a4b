#!/usr/bin/env python3
"""What Baton is made of: checks the dependencies, or lists them for a release.

    scripts/dependencies.py check             licences, bans and sources against deny.toml
    scripts/dependencies.py sbom FILE         a software bill of materials (CycloneDX, JSON)
    scripts/dependencies.py licences FILE     the licences of all that is shipped, with their texts

Python 3.11 or later, and nothing but its standard library.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What a release holds; tests and fault tests are not shipped.
SHIPPED = {"baton-cli", "baton-python"}
REGISTRY = "registry+"
LICENCE_FILE = re.compile(r"^(licen[cs]e|copying|notice|unlicense)", re.IGNORECASE)


def metadata():
    """All packages by identity, and which depend on which, as Cargo has locked them."""
    call = ["cargo", "metadata", "--format-version", "1", "--locked"]
    found = json.loads(subprocess.run(call, cwd=ROOT, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in found["packages"]}
    edges = {
        node["id"]: [
            dependency["pkg"]
            for dependency in node["deps"]
            if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
        ]
        for node in found["resolve"]["nodes"]
    }
    return packages, edges


def shipped(packages, edges):
    """What a release is made of, in the order of names, without Baton's own packages."""
    waiting = [key for key, package in packages.items() if package["name"] in SHIPPED]
    reached = set()
    while waiting:
        key = waiting.pop()
        if key not in reached:
            reached.add(key)
            waiting += edges[key]
    found = [packages[key] for key in reached if packages[key]["source"]]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def permits(expression, allowed):
    """Whether an SPDX expression can be met with the allowed licences alone."""
    words = re.findall(r"\(|\)|/|[^\s()/]+", expression)
    python = []
    while words:
        word = words.pop(0)
        if word in ("OR", "/"):
            python.append("or")
        elif word == "AND":
            python.append("and")
        elif word in ("(", ")"):
            python.append(word)
        else:
            if words[:1] == ["WITH"]:
                word = f"{word} WITH {words[1]}"
                words = words[2:]
            python.append(str(word in allowed))
    return eval(" ".join(python), {"__builtins__": {}})  # True, False, and, or, parentheses


def check():
    """Prints what is not allowed and returns whether there is any."""
    policy = tomllib.loads((ROOT / "deny.toml").read_text())
    allowed = set(policy["licenses"]["allow"])
    banned = {entry["name"] for entry in policy["bans"]["deny"]}
    sources = {REGISTRY + address for address in policy["sources"]["allow-registry"]}
    packages, _ = metadata()
    mistakes = []
    for package in packages.values():
        name = f"{package['name']} {package['version']}"
        if package["source"] and package["source"] not in sources:
            mistakes.append(f"{name} comes from {package['source']}")
        if not permits(package["license"] or "none", allowed):
            mistakes.append(f"{name} has the licence {package['license']}")
        if package["name"] in banned:
            mistakes.append(f"{name} is banned")
    for mistake in mistakes:
        print(f"dependencies: {mistake}; deny.toml says what may be", file=sys.stderr)
    print(f"dependencies: {len(packages)} packages looked at, {len(mistakes)} not allowed")
    return bool(mistakes)


def dashboard():
    """The libraries that are part of the dashboard's script."""
    lock = json.loads((ROOT / "dashboard/package-lock.json").read_text())
    for path, entry in lock["packages"].items():
        if path and not entry.get("dev"):
            yield path.removeprefix("node_modules/"), entry


def component(kind, name, version, licence):
    licence = re.sub(r"\s*/\s*", " OR ", licence or "NOASSERTION")
    return {
        "type": "library",
        "bom-ref": f"pkg:{kind}/{name}@{version}",
        "purl": f"pkg:{kind}/{name}@{version}",
        "name": name,
        "version": version,
        "licenses": [{"expression": licence}],
    }


def sbom(path):
    """Writes the bill of materials."""
    packages, edges = metadata()
    version = next(p["version"] for p in packages.values() if p["name"] == "baton")
    parts = [
        component("cargo", package["name"], package["version"], package["license"])
        for package in shipped(packages, edges)
    ]
    parts += [
        component("npm", name, entry["version"], entry.get("license"))
        for name, entry in dashboard()
    ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "baton", "version": version}},
        "components": parts,
    }
    path.write_text(json.dumps(document, indent=1) + "\n")


def texts(folder):
    """The licence files of a package."""
    files = folder.iterdir() if folder.is_dir() else []
    files = [file for file in files if LICENCE_FILE.match(file.name) and file.is_file()]
    return [file.read_text(errors="replace").strip() for file in sorted(files)]


def licences(path):
    """Writes names and licences of all that is shipped, each text once."""
    packages, edges = metadata()
    found = [
        (f"{p['name']} {p['version']}", p["license"], texts(Path(p["manifest_path"]).parent))
        for p in shipped(packages, edges)
    ]
    for name, entry in dashboard():
        folder = ROOT / "dashboard/node_modules" / name
        found.append((f"{name} {entry['version']}", entry.get("license", "unknown"), texts(folder)))
    own = (ROOT / "LICENSE").read_text().strip()
    lines = ["Baton", "", own, "", "Baton contains the following.", ""]
    lines += [f"{name}: {licence}" for name, licence, _ in found]
    users = {}
    for name, _, own_texts in found:
        for text in own_texts:
            users.setdefault(" ".join(text.split()), (text, []))[1].append(name)
    for text, names in users.values():
        lines += ["", "-" * 80, ", ".join(names), "", text]
    path.write_text("\n".join(lines) + "\n")


def main(arguments):
    match arguments:
        case ["check"]:
            return check()
        case ["sbom", file]:
            return sbom(Path(file))
        case ["licences", file]:
            return licences(Path(file))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
