# Everything a person or a machine does with this project. `make` alone tells what there is.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
# The same without its windows, which draws a page in two thirds of the time: the gate's browser tests take it where it is there.
CHROMIUM_SHELL ?= $(shell command -v chromium-headless-shell)
export CHROMIUM_SHELL
export CHROMIUM
# What npm writes last; the folder itself changes with every tool that keeps a cache in it.
NODE_MODULES := web/node_modules/.package-lock.json

.PHONY: help
help: ## Tell what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(NODE_MODULES): web/package.json web/package-lock.json
	cd web && npm ci --no-fund --no-audit
	@touch $@

WEB_SOURCES := $(shell find web/src web/public web/scripts -type f 2>/dev/null) web/index.html web/vite.config.ts api/openapi.json
web/dist/index.html: $(NODE_MODULES) $(WEB_SOURCES)
	cd web && nice -n 19 npm run build # Fills what the compiler beside it leaves idle.
	@touch $@ src/main.rs # The program embeds the screens, also those that were not there when it was compiled before.

# `library --version` names the commit.
build release-library: export LIBRARY_COMMIT := $(shell git describe --always --dirty 2>/dev/null)
.PHONY: build release-library
build: ## Build everything: the program is target/release/library
	$(MAKE) --no-print-directory --jobs 2 release-library web/dist/index.html
	cargo build --release --locked
# Compiles beside the screens; the program that embeds them comes last.
release-library:
	cargo build --release --locked --lib

.PHONY: run
run: build ## Start with the demo catalogue on http://localhost:8080/library/
	target/release/library serve --demo --database sqlite:demo.db

.PHONY: dev
dev: $(NODE_MODULES) ## Screens with hot reload on http://localhost:5173/library/, against a server beside them
	@trap 'kill 0' EXIT; \
	cargo run -- serve --demo --database sqlite:demo.db & \
	cd web && npm run dev

.PHONY: openapi
openapi: ## Write api/openapi.json and the client's types anew, after a change of the API
	cargo run --quiet -- openapi > api/openapi.json.new && mv api/openapi.json.new api/openapi.json
	cd web && npm run generate

.PHONY: fmt
fmt: $(NODE_MODULES) ## Format everything
	cargo fmt
	cd web && npm run format

.PHONY: lint
lint: $(NODE_MODULES) ## Formatting, lints, types, licences, unused dependencies: everything is an error
	$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint-server lint-screens

.PHONY: lint-server lint-screens
lint-server:
	cargo fmt --check
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	cargo clippy --locked --lib --bins --tests -- -D warnings
	cargo fetch --locked --quiet --manifest-path fuzz/Cargo.toml
	node scripts/check-dependencies.mjs
	node scripts/check-sources.mjs
	mkdir -p target && node scripts/sbom.mjs target/library.cdx.json
lint-screens:
	cd web && npm run format:check && npm run lint && npm run typecheck

.PHONY: sbom
sbom: ## Write what the program is made of, for a release: target/library.cdx.json (CycloneDX)
	cargo fetch --locked --quiet
	mkdir -p target && node scripts/sbom.mjs target/library.cdx.json

.PHONY: dist
dist: build ## Build the Debian package into target/dist, with its SBOM and hashes (Containerfile makes an image of it)
	scripts/dist target/release/library target/dist

.PHONY: needs
needs: ## Install what the tests need from Debian's packages (as root), or name what is missing
	scripts/needs

.PHONY: test
test: needs web/dist/index.html ## Prove everything: on SQLite and PostgreSQL, and in a real browser
	@rm -f target/tmp/not-run-*.txt
	scripts/timed $(MAKE) --no-print-directory --jobs 2 --output-sync=target test-binaries test-screens
	scripts/timed scripts/with-postgres cargo nextest run --locked --tests --profile gate; \
	  status=$$?; scripts/slowest target/nextest/gate/junit.xml; exit $$status
	@cat target/tmp/not-run-*.txt 2>/dev/null || true
	scripts/timed cargo test --locked --doc --quiet
	cd web && LIBRARY_PROGRAM=$(CURDIR)/target/debug/library ../scripts/timed npm run e2e

# rustc takes one processor for the tests of the API, so the screens are tested beside it.
.PHONY: test-binaries test-screens
test-binaries:
	cargo nextest run --locked --tests --no-run
test-screens:
	cd web && npm test && npm run budget

.PHONY: faults
faults: needs web/dist/index.html ## Plant the errors of tests/faults one at a time: the tests must notice each
	scripts/faults

.PHONY: nightly
nightly: needs build ## Prove what takes hours: every test three times over, every rig, every planted fault (docs/reliability.md)
	scripts/nightly

.PHONY: rush
rush: needs ## A whole minute of two desks and ten students after the same books, on each database
	LIBRARY_TEST_RUSH=60 scripts/with-postgres cargo nextest run --locked --tests --no-capture -E 'test(in_a_rush)'

.PHONY: soak
soak: needs build ## A hundred kills, power cuts, crashes, stops and backups, 2000 histories, 10 000 connections and 150 000 seeds (docs/reliability.md)
	LIBRARY_TEST_SOAK=$${LIBRARY_TEST_SOAK:-100} LIBRARY_TEST_RELEASE=$(CURDIR)/target/release/library scripts/with-postgres cargo nextest run --locked --tests --no-fail-fast -E '(test(/_r(1|2|3|4|6|7|11|16|17)(_p12|_on_sqlite|_on_postgres)?$$/) and binary(program)) or (test(/_r(5|14|18)_/) and binary(api)) or (test(/_r_seam_10$$/) and binary(program))'

.PHONY: contract
contract: needs build ## Hold the built program against its API's document for some minutes, with new requests each time
	LIBRARY_TEST_SOAK=100 LIBRARY_TEST_RELEASE=$(CURDIR)/target/release/library scripts/with-postgres cargo nextest run --locked --tests --no-capture -E 'test(/_r8$$/)'

.PHONY: fuzz
fuzz: ## Fuzz every parser for half an hour each, led by coverage; what is found lies in target/fuzz
	scripts/fuzz 1800

.PHONY: bench
bench: build ## Measure the program with a million titles, into docs/benchmarks.md (40 minutes of the whole machine)
	bench/report

.PHONY: bench-quick
bench-quick: build ## The same in small, printed (10 minutes)
	BENCH_TITLES=100000 BENCH_SIZES=1000,10000,100000 BENCH_STUDENTS=5000 BENCH_CARDS=1000 BENCH_ROUNDS=3 BENCH_SECONDS=1 BENCH_LISTS=20 \
	BENCH_PARTS="http growth circulation loans search postgres browser" bench/report

.PHONY: bench-peers
bench-peers: build ## Measure the program beside PocketBase and a small Express app, into docs/peers.md (needs the registries of npm and PyPI)
	bench/peers/run

.PHONY: bench-against
bench-against: build ## Measure the program against BASELINE, an earlier commit, in one run (takes the whole machine)
	bench/run

.PHONY: bench-desk
bench-desk: build ## Measure ten desks at once among 100 000 people and 1 000 000 copies (takes the whole machine)
	cargo run --release --locked --example bench-desk

.PHONY: bench-circulation
bench-circulation: build ## Measure borrowing and returning against a raw loop that writes the same rows (takes the whole machine)
	cargo run --release --locked --example bench-circulation

.PHONY: clean
clean: ## Remove what was built
	cargo clean
	rm -rf web/dist web/node_modules
