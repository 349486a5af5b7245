# Entry points for people. `make help` lists the targets; scripts/ contains the rest.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup build demo serve test test-api test-web test-connect test-apple test-android screenshots prove bench fuzz format lint docs test-setup install deb test-deb clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' \
	    $(firstword $(MAKEFILE_LIST))

setup: ## install what is missing: Debian packages, OpenVINO, model pack, photos
	@scripts/setup

build: setup ## build everything, optimized
	@scripts/run swift build -c release

demo: setup ## enroll and verify faces on the demo photos
	@scripts/quick-build mien
	@scripts/mien demo
	@echo; echo "Next: run make serve, and open the addresses that it prints in a browser: sign in with your own face."
	@echo "For the command line, define the alias of README.md (“Set up”), then run mien doctor."

serve: setup ## start a server with samples, and print the addresses to open in a browser
	@scripts/quick-build mien
	@scripts/serve

test: ## set up, check format, build, run all tests and examples
	@scripts/test

test-api: setup ## check every response of a server against docs/openapi.json (PyPI the first time)
	@scripts/run scripts/test-api

test-web: ## use the web pages in Chromium and Firefox (PyPI the first time)
	@scripts/setup --tests
	@scripts/quick-build mien
	@MIEN_PROGRAM=$(CURDIR)/.build/tests/debug/mien scripts/run scripts/test-web

test-apple: setup ## test the kit for iOS against fakes of Apple's frameworks, and its flows against a server
	@scripts/quick-build --tests
	@scripts/run scripts/test-apple

test-connect: ## connect products as docs/connect says, in a copy of this machine (downloads 900 MB the first time)
	@scripts/setup --tests
	@scripts/quick-build mien
	@MIEN_PROGRAM=$(CURDIR)/.build/tests/debug/mien scripts/run scripts/test-connect

test-android: ## test the kit for Android on a JVM, and its flows against a server
	@scripts/setup --tests
	@scripts/quick-build mien
	@MIEN_PROGRAM=$(CURDIR)/.build/tests/debug/mien scripts/run scripts/test-android

screenshots: ## write pictures of every web page to .build/screenshots
	@scripts/setup --tests
	@scripts/quick-build mien
	@MIEN_PROGRAM=$(CURDIR)/.build/tests/debug/mien scripts/run scripts/screenshots

prove: ## run every proof, also those that make test leaves out, for up to two hours
	@scripts/prove

bench: ## measure against dlib, live capture, identities, and a server under load
	@scripts/setup --bench
	@scripts/run scripts/bench

fuzz: setup ## feed the parsers malformed input, a minute each
	@scripts/run scripts/fuzz 60

format: ## format the Swift code in place
	@scripts/format

lint: ## check format, language, and API availability, change nothing
	@scripts/format --lint
	@scripts/openapi --check
	@scripts/lint-language --self-test
	@scripts/lint-language
	@scripts/lint-availability --self-test
	@scripts/lint-availability
	@scripts/check-links --self-test
	@scripts/check-links
	@scripts/lint-folders --self-test
	@scripts/lint-folders

docs: setup ## build the documentation
	@scripts/run scripts/docs

test-setup: ## test the setup itself, in clean folders (downloads about 400 MB)
	@scripts/test-fetch
	@scripts/test-setup

install: ## build and install for all users: make install [PREFIX=/usr/local] [DESTDIR=]
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install-files

deb: ## build a Debian package in .build/package, with Swift's runtime inside
	@scripts/deb

test-deb: ## install the package in a clean Debian, start the server, remove it (needs root)
	@scripts/test-deb

clean: ## remove build products, but keep what setup installed
	@rm -rf .build Benchmarks/.build Examples/.build Fuzz/.build
