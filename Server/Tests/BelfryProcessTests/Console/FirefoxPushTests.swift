import Foundation
import Testing

/// Pushes to a real Firefox (WEB-7, WEB-8): `Server/Tests/Browser` starts a server, a simulated push service that speaks
/// Mozilla's protocol, a website and the browser. Without the browser the tests fail; `Scripts/setup` installs one.
@Suite("Pushes in a real Firefox", .serialized, .timeLimit(.minutes(20)))
struct FirefoxPushTests {
    @Test(
        """
        WEB-7, WEB-8, WIRE-16, PUSH-3, LED-1: a page subscribes, a campaign is shown while it is closed, a click opens \
        its page, and the ledger has the open; a push waits for a browser that is off; 410 opts the device out
        """
    )
    func push() async throws {
        try await run("push")
    }

    @Test(
        """
        WEB-8, WEB-1, WEB-4: a website with the lines that belfry app web prints does the same by the SDK and its worker; \
        whoever opts out gets nothing until they opt in
        """
    )
    func sdk() async throws {
        try await run("sdk")
    }

    @Test(
        """
        WEB-4, WEB-8: a changed subscription is registered by the worker while no page is open; a dropped one, and another \
        key pair of the server, lead to a new subscription at the next page load
        """
    )
    func changes() async throws {
        try await run("changes")
    }

    @Test("WEB-8, CLI-1: the demonstration's page makes a browser a device, which gets pushes, the page open or closed")
    func demo() async throws {
        try await run("demo")
    }

    private func run(_ name: String) async throws {
        try await withStage { stage in
            let run = try BrowserProgram.start("run_push.py", [name], libraries: [:], in: stage)
            defer { run.send(SIGTERM) }
            await run.expectSuccess()
        }
    }
}
