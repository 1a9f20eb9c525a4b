# Two commands do everything: `make demo` runs the main job, `make test` runs all tests.
# One build profile (dev, optimised) serves both, so that nothing is compiled twice.

BATON = cargo run --quiet --package baton-cli --

.PHONY: demo test format lint unit verify docs python-test release bench-guard

demo:
	$(BATON) verify numerics reference/numerics.json
	$(BATON) demo

test: format lint unit verify docs python-test

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets

# Tests of the store need a PostgreSQL; the script starts one for them, and installs it if need be.
unit:
	scripts/with-postgres cargo test --workspace

verify:
	$(BATON) verify numerics reference/numerics.json
	$(BATON) verify problems reference/problems_ref.json

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --lib

# The Python package: wheel, types, stubs against the module, tests, all code of its documentation.
python-test:
	python=$$(scripts/wheel) && cd python && $$python -m mypy && \
	$$python -m mypy.stubtest baton._baton --ignore-disjoint-bases && $$python -m pytest

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
