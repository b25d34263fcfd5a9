import BelfryTestSupport
import Foundation
import Testing

/// The console in a real Chromium (CON-17): `Server/Tests/Browser` starts a demonstration and does what people do.
/// Without a browser the tests fail; `Scripts/setup` installs one. ``ConsolePagesTests`` runs beside it.
@Suite("The console in a browser", .timeLimit(.minutes(45)))
struct ConsoleBrowserTests {
    @Test(
        """
        CON-17, CON-1, CON-5, CON-7, CON-9, CON-10, CON-11: a marketer composes, tries, launches and watches a push, by \
        pointer, by keys, and without scripts; an approver sees what is planned, support says why, an operator looks after \
        the server
        """
    )
    func stories() async throws {
        try await BrowserProgram.runConsole([
            "newcomer", "outside", "marketer", "approver", "approval", "support", "operator", "keyboard",
            "without_scripts",
        ])
    }

    @Test(
        """
        CON-5, CON-7, CON-17: what was typed is not lost by whatever happens meanwhile: a session that ends, a change by \
        somebody else, a page that is left; a deletion is asked for, and so is a resume whose time is past
        """
    )
    func editing() async throws {
        try await BrowserProgram.runConsole(["session", "change", "options", "leaving", "deletion", "resuming"])
    }

    @Test(
        """
        CON-2, CON-7, CON-11, CON-17: more live pages than a browser has connections, in tabs and in windows, are loaded and \
        follow their campaign; a page that changes under the hand takes neither the focus nor a press away
        """
    )
    func live() async throws {
        try await BrowserProgram.runConsole(["live_tabs", "live_windows", "live_hand"])
    }

    @Test(
        """
        CON-14, CON-15, CON-17: the phone on the screen: every screen of it at three widths, by pointer and by keys; an \
        opt-out that the ledger explains; two candidates for one event, a recall and a kill while a message is shown; two \
        phones of one person; a page that is closed in the middle; a phone for another server, whose program ends and comes \
        back; and what the inspector says of each
        """
    )
    func phone() async throws {
        try await BrowserProgram.runConsole(
            ["looks", "full_screen", "opt_out", "candidates", "people", "left_alone", "tabs", "windows", "elsewhere"]
                .map { "phone_\($0)" }
        )
    }

    @Test(
        """
        CON-14, CON-17, WEB-8: the website for one's own browser is found from the console's home and from the phone; its page \
        has nothing to complain of, at three widths and in both schemes, and says what a person can do
        """
    )
    func website() async throws {
        try await BrowserProgram.runConsole(["website_page"])
    }

    @Test(
        """
        WEB-2, WEB-3, WEB-5: a page of a site logs a person in, edits and tracks by the SDK's calls; what a closed page has \
        left arrives once, in order; a message of a center and one over the page come and are counted; a logout takes it all
        """
    )
    func browserSDK() async throws {
        try await BrowserProgram.runConsole(["website_sdk"])
    }

    @Test(
        "CON-16: a newcomer has their own push on the phone within a minute",
        .enabled(if: Endurance.isOn, "make endurance runs it"))
    func minute() async throws {
        try await BrowserProgram.runConsole(["newcomer"])
    }

    @Test("CON-3, CON-17: a person signs in by an identity provider, gets a role, and works; others get nothing by it")
    func provider() async throws {
        try await BrowserProgram.runConsole(["provider"])
    }
}
