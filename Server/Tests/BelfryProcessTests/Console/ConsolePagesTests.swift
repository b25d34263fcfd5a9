import Foundation
import Testing

/// All pages of the console in a real Chromium (CON-17): `Server/Tests/Browser` starts a demonstration and follows every
/// link, as each role. Without a browser the test fails; `Scripts/setup` installs one.
@Suite("The pages of the console in a browser", .timeLimit(.minutes(45)))
struct ConsolePagesTests {
    @Test(
        """
        CON-17, CON-2: whatever a role is shown leads somewhere; no page has a console error, a violation of its policy, \
        a violation of axe, or scrolls sideways, at three widths and in both schemes
        """
    )
    func pages() async throws {
        try await BrowserProgram.runConsole(
            ["viewer", "marketer", "approver", "admin", "operator"].map { "pages-of-\($0)" })
    }
}
