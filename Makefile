# Two commands do everything: `make demo` runs the main job, `make test` runs all tests.
# One build profile serves both: what computes is optimised and compiled once.

BATON = cargo run --quiet --package baton-cli --
# `demo` and `verify` alone, which need neither service nor stores nor figures
LEAN = cargo run --package baton-cli --no-default-features --

.PHONY: demo test format lint unit verify docs python-test release dist bench-guard

demo:
	@echo "make demo: compiles Baton (once; about two and a half minutes on two cores), checks it"
	@echo "against reference values, then optimises four related tasks (five seconds)."
	@echo
	$(LEAN) verify numerics reference/numerics.json
	$(LEAN) demo

# On two cores, so what waits, or keeps one core busy, runs beside what computes: what comes over the
# network beside the compilers, tests beside tests. What measures time comes last, and runs alone.
test: format
	$(MAKE) --jobs 3 compiled fetched
	$(MAKE) --jobs 3 --output-sync=target unit checks soak-protocol
	$(MAKE) --jobs 2 --output-sync=target soak-hostile soak-others
	$(MAKE) --jobs 2 --output-sync=target python-together service-together
	$(MAKE) python-alone service-alone

.PHONY: compiled fetched checks
compiled: lint
	cargo build --quiet --workspace --all-targets

# One after the other: packages cannot be installed at the same time.
fetched:
	scripts/with-postgres
	scripts/chromium
	scripts/venv python/requirements-test.txt docs/requirements.txt tests/service/requirements.txt >/dev/null
	$(MAKE) --jobs 1 dashboard-check deny workflows

# Everything that is checked without being run for long
checks:
	$(MAKE) --jobs 1 verify docs site python-types

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets

# Tests of the store need a PostgreSQL; the script starts one for them, and installs it if need be.
unit:
	scripts/with-postgres cargo test --workspace

# Faults and bad input on purpose, for so many minutes; prints a table of what was tried and what
# failed. The short form is part of the tests.
MINUTES = 30
SOAK = cargo build --quiet --workspace && scripts/with-postgres target/debug/baton-soak

.PHONY: soak soak-short soak-protocol soak-hostile soak-others deny advisories
soak:
	$(SOAK) run --minutes $(MINUTES)

# The store's protocol mostly waits for its database: it has one of its own, beside what computes.
soak-short:
	cargo build --quiet --workspace
	$(MAKE) --jobs 2 --output-sync=target soak-protocol soak-hostile
	$(MAKE) soak-others

SHORT = scripts/with-postgres target/debug/baton-soak run --seed 1 --largest 200
soak-protocol:
	$(SHORT) --minutes 0.16 --only protocol

soak-hostile:
	$(SHORT) --minutes 0.8 --only hostile

soak-others:
	$(SHORT) --minutes 0.9 --without protocol --without hostile

# Licences, bans and sources of all dependencies, as deny.toml allows them
.PHONY: workflows
deny:
	scripts/dependencies.py check

workflows:
	scripts/workflows

# Known vulnerabilities: cargo-deny, compiled if it is missing, asks for the public list of them.
DENY_VERSION = 0.20.2
DENY = target/tools/bin/cargo-deny

$(DENY):
	cargo install cargo-deny --locked --version $(DENY_VERSION) --debug --quiet --root target/tools

advisories: $(DENY)
	$(DENY) deny check advisories

verify:
	$(BATON) verify numerics reference/numerics.json
	$(BATON) verify problems reference/problems_ref.json

# By the same compiler as the lints, so that what they have checked is not checked again.
docs:
	RUSTC_WORKSPACE_WRAPPER=clippy-driver RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --lib

# The documentation site, target/site: all links are checked, the reference is made from the program
.PHONY: site
site: docs
	cargo build --package baton-cli
	NO_MKDOCS_2_WARNING=1 $$(scripts/venv docs/requirements.txt) -m mkdocs build --quiet

# pytest by three workers at a time, of which some wait; and alone, what measures time
TOGETHER = -m pytest -n 3 -m "not alone"
ALONE = -m pytest -m alone
# Byte code is kept, also where the environment says otherwise: packages are installed without it.
export PYTHONDONTWRITEBYTECODE =

# The Python package: wheel, types, stubs against the module, then tests, all code of its documentation.
.PHONY: python-test python-types python-together python-alone
python-test:
	$(MAKE) python-types
	$(MAKE) python-together
	$(MAKE) python-alone

python-types:
	python=$$(scripts/wheel) && cd python && $$python -m mypy && \
	$$python -m mypy.stubtest baton._baton --ignore-disjoint-bases

PYTHON = python=$$(scripts/venv python/requirements-test.txt) && cd python && $$python
python-together:
	$(PYTHON) $(TOGETHER)

python-alone:
	$(PYTHON) $(ALONE)

# The binary for real work: target/release/baton
release:
	cargo build --release --package baton-cli

# What a release consists of, in dist/: wheel, static command line, checksums, bill of materials
dist:
	scripts/dist

# Instruction counts of the hot kernels under valgrind, against benchmarks/instructions.json
bench-guard: release
	python3 benchmarks/instructions.py

# JAX, PyTorch and BoTorch on the same work, in an environment of their own (about 6 GB)
.PHONY: bench-peers
bench-peers: release
	benchmarks/peers/setup.sh
	benchmarks/peers/.venv/bin/python benchmarks/peers/run.py

# The service: the files of its dashboard and of the report, which are part of the program, and its tests
.PHONY: dashboard dashboard-check service-test service-together service-alone service-load service-figures
# (`npm install` by the lock file: `npm ci` insists on packages of other platforms)
dashboard:
	cd dashboard && npm install --no-save --no-audit --no-fund --loglevel=error && npm run --silent build
	$(call COPY,target/dashboard,crates/service/assets)
	$(call COPY,target/report,crates/cli/assets)

# Copies the files that differ: what is copied is compiled in, and would be compiled again.
COPY = for file in $(1)/*; do cmp -s $$file $(2)/$$(basename $$file) || cp $$file $(2)/; done

# What is committed is what the sources give
dashboard-check: dashboard
	diff -r target/dashboard crates/service/assets
	diff -r target/report crates/cli/assets
	git diff --exit-code --stat -- crates/service/assets crates/cli/assets
	! grep -n '"resolved"' dashboard/package-lock.json

# API, access, load, kills, a property-based client, the guide's examples and the dashboard in Chromium
service-test: dashboard-check
	scripts/chromium
	cargo build --package baton-cli
	$(MAKE) service-together
	$(MAKE) service-alone

SERVICE = $$(scripts/venv tests/service/requirements.txt)
service-together:
	$(SERVICE) $(TOGETHER) -c tests/service/pytest.ini tests/service

service-alone:
	$(SERVICE) $(ALONE) -c tests/service/pytest.ini tests/service

# A minute of 200 clients over 50 campaigns, on SQLite and on PostgreSQL
service-load: export BATON = target/release/baton
service-load:
	cargo build --release --package baton-cli
	$(SERVICE) tests/service/load.py --seconds 60
	scripts/with-postgres bash -c '$(SERVICE) tests/service/load.py --seconds 60 --store "$$BATON_TEST_POSTGRES"'
	scripts/with-postgres bash -c '$(SERVICE) tests/service/load.py --seconds 60 --store "$$BATON_TEST_POSTGRES" --processes 2'
	scripts/with-postgres bash -c '$(SERVICE) tests/service/load.py --seconds 60 --store "$$BATON_TEST_POSTGRES" --processes 2 --kill'

# The README's screenshots
service-figures:
	scripts/chromium
	cargo build --package baton-cli
	BATON_FIGURES=$$PWD/docs/figures $$(scripts/venv tests/service/requirements.txt) -m pytest -c tests/service/pytest.ini tests/service/test_browser.py -k watched
