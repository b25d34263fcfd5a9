# The commands of a working day; `make help` lists them.
# Two Swift packages: this folder (SDK and shared core) and Server/ (server, simulators, program).

CONFIGURATION ?= debug
DEMO_ARGS ?=
BENCH_ARGS ?=
# For each fuzz target. The script gets it as an argument: to bash the name means something else.
SECONDS ?= 60
JOBS ?= 1

# An import must be declared in the manifest; warnings are errors by the manifests themselves.
BUILD_FLAGS := --explicit-target-dependency-import-check error
SERVER := --package-path Server
# There are no tests of XCTest: to look for them would start the tests' programs once more.
TEST := swift test --skip-build --disable-xctest
# On their own: they start whole servers, and Foundation starts no process while more than 1,024 files are open.
PROCESS_TESTS := BelfryProcessTests
# Once more over PostgreSQL, where the store's own tests run on both engines anyway: the services' tests, but for those
# suites that reach no store. Of the API's tests those whose answers an engine can change: pages and searches, figures,
# what is stored and read again, repeated and concurrent calls, and what a failing store answers. The others are about
# bodies, heads and sockets, which no engine sees; they hold on PostgreSQL, too, but for those that say so, and
# `make endurance` runs them there.
API_SUITES := AppTests|AudienceTests|BadgeTests|BodyTests|CampaignReviewTests|CampaignTests|ClientTests|ContactTests
API_SUITES := $(API_SUITES)|CredentialTests|DeviceMessagesTests|DirectoryTests|ErasedDeviceTests|EventQueryTests
API_SUITES := $(API_SUITES)|EventTests|ExpensiveAudienceTests|ExpressLaneTests|IdempotencyTests|InAppMessagesTests
API_SUITES := $(API_SUITES)|MessageCenterFetchTests|MessageCenterTests|MessageStateTests|OpenIDTests
API_SUITES := $(API_SUITES)|PeopleSearchAPITests|PeopleTests|PersonTests|PushTokenTests|QuarantineTests
API_SUITES := $(API_SUITES)|QuietEdgeTests|RegistrationTests|RehearsalTests|RichContentTests|SettingsTests
API_SUITES := $(API_SUITES)|StatisticsTests|TokenTests|V3InAppTests|V3InboxTests
ENGINE_TESTS := BelfryServicesTests|BelfryAPITests\.($(API_SUITES))/
# Where tests write down what they ask of PostgreSQL, which is judged when all have run (FLEET-5).
STATEMENTS := $(CURDIR)/Server/.build/statements
FAILURES := $(CURDIR)/Server/.build/failures
# So many tests at a time. Unbounded, hundreds share two cores, and their connections pass the 1,024 files that a process
# may open on most machines; a test's time limit would end what only waits for its turn.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 16
# Each of these has several processes, so that fewer keep a machine busy.
PROCESS_WIDTH ?= 8

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-server test-units test-processes endurance build format check bench fuzz attack screens release clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  CONFIGURATION=release   for demo and build (default: debug)"
	@echo "  DEMO_ARGS='--json'      passed to the demo; at a terminal, or with STAY=1, it keeps running to look at"
	@echo "  BENCH_ARGS='NAME'       passed to the benchmarks"
	@echo "  SECONDS=1800            for fuzz: how long each target runs (default: 60)"
	@echo "  JOBS=2                  for fuzz: how many targets run beside each other (default: 1)"

setup: ## Install what is missing (Debian) or say what is
	@Scripts/setup

# The build speaks on stderr, so that stdout holds the demo's result and nothing else.
demo: setup ## Run the whole story on this machine and print a table of what happened
	@swift build $(SERVER) $(BUILD_FLAGS) -c $(CONFIGURATION) --product belfry >&2
	@if [ -t 1 ] || [ -n "$(STAY)" ]; then end=; else end=--exit; fi; \
		Server/.build/$(CONFIGURATION)/belfry demo $$end $(DEMO_ARGS)

test: setup ## Check, build and run all tests of both packages
	Scripts/check
	swift build $(BUILD_FLAGS) --build-tests
	Scripts/run-tests $(TEST)
	Scripts/run-tests Scripts/test-apple
	Scripts/run-tests Scripts/test-browser-sdk
	swift build $(SERVER) $(BUILD_FLAGS) --build-tests
	Scripts/with-postgres $(MAKE) --no-print-directory test-server

# Beside the PostgreSQL server that `make test` starts. Process tests wait for others more than half of the time: the rest
# runs beside them. What failed is said once more at the end of all, whichever ended last.
test-server:
	rm -rf '$(STATEMENTS)' '$(FAILURES)'
	mkdir -p '$(STATEMENTS)'
	BELFRY_TEST_FAILURES='$(FAILURES)' $(MAKE) --no-print-directory --jobs=2 test-units test-processes || \
		{ cat '$(FAILURES)' 2>/dev/null; exit 1; }

test-units:
	BELFRY_TEST_STATEMENTS='$(STATEMENTS)' Scripts/run-tests $(TEST) $(SERVER) --skip $(PROCESS_TESTS)
	storeless=$$(Scripts/storeless-suites) && BELFRY_TEST_STATEMENTS='$(STATEMENTS)' BELFRY_TEST_ENGINE=postgres \
		Scripts/run-tests $(TEST) $(SERVER) --filter '$(ENGINE_TESTS)' --skip "$$storeless"
	BELFRY_TEST_RECORDED_STATEMENTS='$(STATEMENTS)' \
		Scripts/run-tests $(TEST) $(SERVER) --filter 'BelfryServicesTests\.(ShardTests|CitusTests)/'

# By themselves: of two that `swift test` starts one would wait for the other.
test-processes:
	cd Server && SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(PROCESS_WIDTH) \
		../Scripts/run-tests .build/debug/belfry-serverPackageTests.xctest --testing-library swift-testing \
		--filter $(PROCESS_TESTS)

# All tests of the API over PostgreSQL, too: of those with seeds, all of them.
endurance: ## Run in full what test runs briefly: all seeds, kills, crash points, fuzz inputs, the benchmarks
	Scripts/setup bench
	swift build $(BUILD_FLAGS) --build-tests
	BELFRY_TEST_ENDURANCE=1 Scripts/run-tests $(TEST) --filter "$$(Scripts/endurance-suites)"
	swift build $(SERVER) $(BUILD_FLAGS) --build-tests
	BELFRY_TEST_ENDURANCE=1 Scripts/with-postgres Scripts/run-tests $(TEST) $(SERVER) --filter "$$(Scripts/endurance-suites)"
	BELFRY_TEST_ENDURANCE=1 BELFRY_TEST_ENGINE=postgres \
		Scripts/with-postgres Scripts/run-tests $(TEST) $(SERVER) --filter 'BelfryAPITests\.'

build: setup ## Build both packages
	swift build $(BUILD_FLAGS) -c $(CONFIGURATION)
	swift build $(SERVER) $(BUILD_FLAGS) -c $(CONFIGURATION)

format: ## Format the Swift files in place
	@Scripts/format

check: ## Format, layers and house rules; builds nothing
	Scripts/check

bench: ## Build for release and compare with the reference tools
	Scripts/setup bench
	swift build $(SERVER) $(BUILD_FLAGS) -c release --product belfry >&2
	Server/.build/release/belfry bench $(BENCH_ARGS)

fuzz: setup ## Run the fuzz targets, each for SECONDS (Docs/Fuzzing.md)
	Scripts/fuzz --seconds $(SECONDS) --jobs $(JOBS)

attack: setup ## Attack servers of its own on both engines, as Docs/SecurityModel.md lists it
	@swift build $(SERVER) $(BUILD_FLAGS) --product belfry >&2
	Scripts/attack
	Scripts/with-postgres Scripts/attack --postgres

screens: setup ## Take a picture of each page of the console, and of the phone: in .build/screens-…
	@swift build $(SERVER) $(BUILD_FLAGS) --product belfry >&2
	@Scripts/screens-console
	@Scripts/screens-phone

release: setup ## Make the one program to ship, and try it in a bare Debian: in .build/release-…
	@Scripts/release
	@Scripts/test-release

clean: ## Remove what was built; fetched dependencies stay
	swift package clean
	swift package $(SERVER) clean
	[ ! -d Server/.build/static ] || swift package $(SERVER) --scratch-path Server/.build/static clean
	rm -rf .build/release-linux-*
