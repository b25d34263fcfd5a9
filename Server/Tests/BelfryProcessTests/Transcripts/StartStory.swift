import Belfry
import BelfryModel
import BelfryServerTestSupport
import Foundation
import Testing

/// The three starts of the workflow of Mobile Engage v3.
struct StartStory {
    let stage: Stage
    let server: ServerProcess
    let clock: ManualClock

    func tell(in transcript: inout SDKTranscript) async throws {
        transcript.begin(
            "## Three starts",
            "The scenarios of the workflow of Mobile Engage v3, with Belfry's SDK. `user-4711` is the contact key."
        )
        try await firstStart(in: &transcript)
        try await upgrade(in: &transcript)
        try await secondStart(in: &transcript)
    }

    private func app(_ folder: String) throws -> TranscribedApp {
        try TranscribedApp(at: server, folder: stage.folder.appending(path: folder), clock: clock)
    }

    private func firstStart(in transcript: inout SDKTranscript) async throws {
        transcript.begin(
            "### The app is started for the first time",
            "The device's properties, an anonymous contact, the first registration and the events of the start."
        )
        let app = try app("first")
        try await app.call("try await client.start()", in: &transcript, Self.start)
        try await app.call(Self.tokenCall, in: &transcript, Self.setToken)
        try await app.call(Self.loginCall, in: &transcript, Self.logIn)
        try await app.processed(1, by: stage.admin(server))
        try await app.waitAMinute("// a minute after the last registration", in: &transcript)
        await app.client.stop()
        let id = try await id(of: "first")
        #expect(try await stage.admin(server).device(id).contactKey == "user-4711")
    }

    private func upgrade(in transcript: inout SDKTranscript) async throws {
        transcript.begin(
            "### The user was already logged in when the SDK came with an update",
            "To the SDK this is a first start: the app names the contact as soon as it runs, here before `start()`, so no "
                + "anonymous contact is made."
        )
        let app = try app("upgraded")
        try await app.call(Self.loginCall, in: &transcript, Self.logIn)
        try await app.call("try await client.start()", in: &transcript, Self.start)
        try await app.call(Self.tokenCall, in: &transcript, Self.setToken)
        try await app.call(#"try await client.track("cart:add", attributes: ["sku": "42"])"#, in: &transcript) {
            try await $0.track("cart:add", attributes: ["sku": "42"])
            return "the call returned, and the event was safe before it was sent"
        }
        await app.client.stop()
    }

    private func secondStart(in transcript: inout SDKTranscript) async throws {
        transcript.begin(
            "### The app is started a second time, and nothing has changed",
            "Only the events of the start are sent. The app passes its push token and its user at each start; to the SDK "
                + "that is no news. Where a client of v3 links the same contact again, the SDK sends nothing."
        )
        // Long enough for a session of its own.
        clock.advance(by: 100)
        let app = try app("first")
        try await app.call("try await client.start()", in: &transcript, Self.start)
        try await app.call(Self.tokenCall, in: &transcript, Self.setToken)
        try await app.call(Self.loginCall, in: &transcript, Self.logIn)
        await app.client.stop()
    }

    private func id(of folder: String) async throws -> String {
        let app = try app(folder)
        let id = try await app.client.state().deviceId
        await app.client.stop()
        return id
    }

    // MARK: Calls

    private static let pushToken = String(repeating: "0123456789abcdef", count: 4)
    private static let tokenCall = "try await client.setPushToken(token, environment: .production)"
    private static let loginCall = #"try await client.identify(contactKey: "user-4711")"#

    private static func start(_ client: BelfryClient) async throws -> String {
        try await client.start()
        try await client.flush()
        let state = try await client.state()
        return "`state().contact` is `\(state.contact)`, `state().queue.count` is \(state.queue.count)"
    }

    private static func setToken(_ client: BelfryClient) async throws -> String {
        try await client.setPushToken(pushToken, environment: .production)
        return "the call returned"
    }

    private static func logIn(_ client: BelfryClient) async throws -> String {
        let result = try await client.identify(contactKey: "user-4711")
        try await client.flush()
        return "\(result), and `state().contact` is `\(try await client.state().contact)`"
    }
}
