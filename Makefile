# Two commands do everything: `make demo` runs the main job, `make test` runs all tests.
# One build profile (dev, optimised) serves both, so that nothing is compiled twice.

BATON = cargo run --quiet --package baton-cli --

.PHONY: demo test format lint unit verify docs release bench-guard

demo:
	$(BATON) verify numerics reference/numerics.json
	$(BATON) demo

test: format lint unit verify docs soak-short

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

.PHONY: soak soak-short deny
soak:
	$(SOAK) run --minutes $(MINUTES)

soak-short:
	$(SOAK) run --minutes 1 --seed 1 --largest 200

# Licences, bans and sources are part of the tests (crates/soak/tests/supply_chain.rs); cargo-deny
# asks the same and for known vulnerabilities. It is compiled if it is missing: several minutes.
deny:
	cargo deny --version >/dev/null 2>&1 || cargo install cargo-deny --locked
	cargo deny check

verify:
	$(BATON) verify numerics reference/numerics.json
	$(BATON) verify problems reference/problems_ref.json

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --lib

# The binary for real work: target/release/baton
release:
	cargo build --release --package baton-cli

# Instruction counts of the hot kernels under valgrind, against benchmarks/instructions.json
bench-guard: release
	python3 benchmarks/instructions.py

# JAX, PyTorch and BoTorch on the same work, in an environment of their own (about 6 GB)
.PHONY: bench-peers
bench-peers: release
	benchmarks/peers/setup.sh
	benchmarks/peers/.venv/bin/python benchmarks/peers/run.py
