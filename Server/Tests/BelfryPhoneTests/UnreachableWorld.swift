import Belfry
import Foundation

@testable import BelfryPhone

extension PhoneWorld {
    struct BadAddress: Error {}

    /// A world whose server never answers, and whose push service gives tokens.
    static func unreachable() throws -> PhoneWorld {
        guard let url = URL(string: "https://push.example.com") else { throw BadAddress() }
        return PhoneWorld(
            appCode: "shop", serverURL: url,
            directory: FileManager.default.temporaryDirectory.appending(path: "belfry-phone-\(UUID().uuidString)"),
            transport: NoAnswer(), pushService: TokensOnly(),
            environment: DeviceEnvironment(
                now: { PhoneSystemTests.noon }, random: { 0.5 }, makeUUID: { UUID() },
                sleep: { _ in
                    // Until the task is cancelled: the time of this world stands still.
                    let (stream, _) = AsyncStream<Void>.makeStream()
                    for await _ in stream {}
                }
            )
        )
    }

    private struct NoAnswer: Transport {
        struct Lost: Error {}
        func send(_ request: TransportRequest) async throws -> TransportResponse { throw Lost() }
    }

    private struct TokensOnly: PhonePushService {
        func issueToken() async throws -> String { String(repeating: "ab", count: 32) }
        func retire(_ token: String) async throws {}
        func arrivals(for token: String) async throws -> AsyncStream<PushArrival> { AsyncStream { $0.finish() } }
    }
}
