import Belfry
import BelfryModel
import BelfryServerTestSupport
import Foundation
import Testing

/// An app with the SDK on one device, whose calls are written down. Its clock stands still between them.
final class TranscribedApp {
    let client: BelfryClient
    private let transport: RecordingTransport
    private let clock: ManualClock

    /// - Parameters:
    ///   - folder: of the installation; the same for the next start of the app.
    ///   - clock: the device's.
    init(_ code: String = "shop", at server: ServerProcess, folder: URL, clock: ManualClock) throws {
        let address = try #require(URL(string: server.address))
        transport = RecordingTransport(to: address)
        self.clock = clock
        let platform = HeadlessPlatform(
            system: SystemProperties(
                timeZone: "Europe/Vienna", locale: "de-AT", platform: "ios", osVersion: "17.4", appVersion: "1.2.3",
                sdkVersion: BelfryVersion.sdk, deviceModel: "iPhone14,2"
            )
        )
        platform.setPushPermission(.granted)
        client = try BelfryClient(
            configuration: BelfryConfiguration(appCode: code, serverURL: address, directory: folder),
            platform: platform,
            transport: transport,
            environment: DeviceEnvironment(
                now: { clock.now }, random: { 0.5 }, makeUUID: { UUID() },
                // Nobody sleeps longer than until the end of the client, which cancels it.
                sleep: { try? await clock.sleep(until: $0) }
            )
        )
    }

    /// A call of the app, and all that the SDK sends for it at once.
    ///
    /// - Parameters:
    ///   - text: the call as the app's developer writes it.
    ///   - body: makes it, and says what the app saw.
    func call(
        _ text: String, in transcript: inout SDKTranscript, _ body: (BelfryClient) async throws -> String
    ) async throws {
        let seen = try await body(client)
        try await client.flush()
        transcript.add(text, transport.take(), seen: seen)
    }

    /// Waits until the server has processed a registration, which it says with its later responses.
    func processed(_ revision: Int64, by admin: AdminCaller) async throws {
        let id = try await client.state().deviceId
        try await eventually("the registration is processed") {
            try await admin.device(id).revision
        } until: {
            $0 == revision
        }
    }

    /// Time passes until the SDK may send a registration again.
    func waitAMinute(_ text: String, in transcript: inout SDKTranscript) async throws {
        clock.advance(by: 61)
        try await client.flush()
        let isPending = try await client.state().registration.isPending
        transcript.add(text, transport.take(), seen: "`state().registration.isPending` is \(isPending)")
    }

    /// What the page does not show.
    func leaveOut(_ body: (BelfryClient) async throws -> Void) async rethrows {
        try await body(client)
        _ = transport.take()
    }

    /// From now on the device is in another network, where its requests arrive somewhere else.
    func enter(_ address: String) throws {
        transport.lead(to: try #require(URL(string: address)))
    }
}
