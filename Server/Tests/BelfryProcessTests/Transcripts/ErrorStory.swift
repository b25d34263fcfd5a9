import Belfry
import BelfryAPI
import BelfryServerTestSupport
import Foundation
import Testing

/// Each error of the table of Responsys' message center.
struct ErrorStory {
    let stage: Stage
    let server: ServerProcess
    let clock: ManualClock

    func tell(in transcript: inout SDKTranscript) async throws {
        transcript.begin(
            "## The errors of the message center",
            "In the order of Responsys' table. `MessageCenterError` has its number (`numericCode`), which for an error of "
                + "the server is the status that Responsys' apps know, whatever status the server sent."
        )
        let app = try TranscribedApp(at: server, folder: stage.folder.appending(path: "errors"), clock: clock)
        try await start(app, in: &transcript)
        try await withoutNetwork(app, in: &transcript)
        try await flawed(app, in: &transcript)
        try await unknownApp(in: &transcript)
        try await centers(app, in: &transcript)
        await app.client.stop()
    }

    private func start(_ app: TranscribedApp, in transcript: inout SDKTranscript) async throws {
        try await app.client.setMessageCenterEnabled(true)
        transcript.begin("### Invalid URL", "`PIOErrorCodeInvalidURL`: the SDK was not started.")
        try await app.call("try await client.refreshMessageCenters()", in: &transcript, Self.refresh)
        try await app.leaveOut { client in
            try await client.start()
            try await client.flush()
        }
        try await app.processed(1, by: stage.admin(server))
        transcript.begin("### No error", "It was started, and the response lists every message center of the app.")
        try await app.call("try await client.refreshMessageCenters()", in: &transcript, Self.refresh)
        try await app.call("try await client.messages()", in: &transcript, Self.list("Primary"))
    }

    private func withoutNetwork(_ app: TranscribedApp, in transcript: inout SDKTranscript) async throws {
        try app.enter(KillTrackingTests.nowhere)
        transcript.begin("### No network", "`PIOErrorCodeNoNetwork`: nobody answers. The messages stay as they were.")
        try await app.call("try await client.refreshMessageCenters()", in: &transcript, Self.refresh)
        try await app.call("try await client.messages()", in: &transcript, Self.list("Primary"))
        transcript.begin(
            "### Maximum retry reached",
            "`PIOErrorCodeMaximumRetryReached`: five attempts in a row had no response. The SDK tries again later, by "
                + "itself."
        )
        await app.leaveOut { client in
            for _ in 0..<3 { _ = await Self.refresh(client) }
        }
        try await app.call("try await client.refreshMessageCenters()", in: &transcript, Self.refresh)
        try await app.call("try await client.messages()", in: &transcript, Self.list("Primary"))
        try app.enter(server.address)
        transcript.begin("### The network is back", "The next response ends the error.")
        try await app.call("try await client.refreshMessageCenters()", in: &transcript, Self.refresh)
        try await app.call("try await client.messages()", in: &transcript, Self.list("Primary"))
    }

    /// Something else than a Belfry server answers, such as the sign-in page of a wireless network.
    private func flawed(_ app: TranscribedApp, in transcript: inout SDKTranscript) async throws {
        let flaws = [
            (
                "### Invalid payload", "<html>Please sign in</html>",
                "`PIOErrorCodeInvalidPayload`: something else than a Belfry server answers, here a sign-in page."
            ),
            ("### Empty response", "", "`PIOErrorCodeEmptyResponse`: the response has no body."),
        ]
        for (heading, body, text) in flaws {
            transcript.begin(heading, text)
            try await FormServer.run(certificate: nil, answer: FormServer.Response(body: body)) { portal in
                try app.enter("http://127.0.0.1:\(portal.port)")
                try await app.call("try await client.refreshMessageCenters()", in: &transcript, Self.refresh)
                try app.enter(server.address)
            }
        }
    }

    private func unknownApp(in transcript: inout SDKTranscript) async throws {
        transcript.begin(
            "### Invalid app or account token",
            "`PIOHTTTPStatusCodeInvalidAppOrAccountToken`: the server has no app with this code. So nothing else is sent."
        )
        let app = try TranscribedApp("shopp", at: server, folder: stage.folder.appending(path: "other"), clock: clock)
        try await app.client.setMessageCenterEnabled(true)
        try await app.call("try await client.start()", in: &transcript) {
            try await $0.start()
            try await $0.flush()
            return "`state().contact` is `\(try await $0.state().contact)`"
        }
        try await app.call("try await client.messages()", in: &transcript, Self.list("Primary"))
        await app.client.stop()
    }

    private func centers(_ app: TranscribedApp, in transcript: inout SDKTranscript) async throws {
        let admin = stage.admin(server)
        _ = try await admin.send(
            .PUT, admin.path("message-centers/Offers"), MessageCenterChange(enabled: false),
            as: MessageCenterDefinition.self
        )
        transcript.begin(
            "### The message center is disabled",
            "`PIOHTTTPStatusCodeMCDisabled`: an operator has disabled `Offers`. The response names it, so the error is there "
                + "from the first response on."
        )
        try await app.call("try await client.refreshMessageCenters()", in: &transcript, Self.refresh)
        try await app.call(#"try await client.messages(in: "Offers")"#, in: &transcript, Self.list("Offers"))
        transcript.begin(
            "### There is no such message center", "`PIOHTTTPStatusCodeMCFailure`: no center has this name.")
        try await app.call(#"try await client.messages(in: "News")"#, in: &transcript, Self.list("News"))
    }

    // MARK: Calls

    @Sendable private static func refresh(_ client: BelfryClient) async -> String {
        do {
            try await client.refreshMessageCenters()
            return "no error"
        } catch {
            return text(of: error)
        }
    }

    private static func list(_ center: String) -> @Sendable (BelfryClient) async throws -> String {
        { client in
            let list = try await client.messages(in: center)
            return "\(list.count) messages, and the list's `error` is " + (list.error.map(text(of:)) ?? "nil")
        }
    }

    private static func text(of error: MessageCenterError) -> String {
        "`\(error.code)`, \(error.numericCode): “\(error.message)”"
    }
}
