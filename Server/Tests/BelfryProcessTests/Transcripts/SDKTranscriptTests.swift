import Belfry
import BelfryServerTestSupport
import Foundation
import Testing

/// `Docs/Transcripts.md` between its marks; `Scripts/sdk-transcript` writes it there.
@Suite("The transcripts of the SDK")
struct SDKTranscriptTests {
    @Test(
        """
        WIRE-1 to WIRE-6, ID-1, ID-4, MC-10: the page shows what the SDK and the server say today, in three starts and for \
        each error
        """,
        .timeLimit(.minutes(10))
    )
    func page() async throws {
        var transcript = SDKTranscript()
        try await withStage { stage in
            try await stage.withServer { server in
                let admin = stage.admin(server)
                try await admin.createApp()
                let clock = ManualClock(Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)))
                try await StartStory(stage: stage, server: server, clock: clock).tell(in: &transcript)
                try await ErrorStory(stage: stage, server: server, clock: clock).tell(in: &transcript)
            }
        }
        if let file = RunSettings.transcripts { try Data(transcript.markdown.utf8).write(to: file) }
        let page = try ProjectFile.text("Docs/Transcripts.md")
        let begin = try #require(page.range(of: "<!-- transcript: begin -->\n\n"))
        let end = try #require(page.range(of: "<!-- transcript: end -->"))
        let said = page[begin.upperBound..<end.lowerBound]
        guard RunSettings.transcripts == nil else { return }
        let isToday = said == transcript.markdown
        if !isToday { print(transcript.markdown) }
        for (line, now) in zip(said.split(separator: "\n"), transcript.markdown.split(separator: "\n"))
        where line != now {
            Issue.record("The page says '\(line)', and it is '\(now)'. Scripts/sdk-transcript writes it.")
            break
        }
        #expect(isToday, "Scripts/sdk-transcript writes the page.")
    }
}
